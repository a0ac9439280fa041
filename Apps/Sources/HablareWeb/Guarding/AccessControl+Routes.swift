import HTTPTypes
import Hummingbird

extension AccessControl {
    /// Adds `GET /start?token=TOKEN`, which gives a browser the cookie.
    func addRoutes(to router: Router<FaceContext>) {
        router.get("/start") { request, context in
            guard let given = request.uri.queryParameters.get("token"), self.accepts(token: given) else {
                throw FaceProblem(
                    .forbidden, code: "oldLink", title: "This link is not valid",
                    detail: "Open the newest link that the program printed.")
            }
            let cookie = self.cookie(port: context.port)
            let site = request.headers[.secFetchSite] ?? "none"
            if site == "none" || site == "same-origin" {
                return Response(status: .seeOther, headers: [.location: "/", .setCookie: cookie])
            }
            // Another site or program led here, so browsers would not send the strict cookie after a redirect. They do
            // after a navigation that this page begins.
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/html; charset=utf-8", .setCookie: cookie,
                    .cacheControl: "no-store",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(string: Self.forwardingPage)))
        }
    }

    private static let forwardingPage = """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><title>Opening</title></head>
        <body><p><a href="/">Continue</a></p></body>
        </html>

        """
}
