import HTTPTypes
import Hummingbird

extension Assets {
    /// Adds the routes of the files.
    func addRoutes(to router: Router<FaceContext>) {
        router.get("/assets/**") { request, _ in try response(to: request) }
        for (name, asset) in topFiles {
            router.get(RouterPath("/\(name)")) { _, _ in
                asset.response(headers: [.cacheControl: "no-cache"])
            }
        }
    }

    private func response(to request: Request) throws(FaceProblem) -> Response {
        let path = request.uri.path
        guard path.hasPrefix(root + "/"), let asset = files[String(path.dropFirst(root.count + 1))] else {
            throw FaceProblem(status: .notFound)
        }
        return asset.response(headers: [.cacheControl: "public, max-age=31536000, immutable"])
    }
}

extension Asset {
    func response(headers: HTTPFields) -> Response {
        var headers = headers
        headers[.contentType] = type
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }
}
