import Foundation
import HTTPTypes
import Hummingbird

extension FaceProblem {
    /// Returns the problem as `application/problem+json`.
    func response() -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        do {
            return Response(
                status: status, headers: [.contentType: "application/problem+json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(self))))
        } catch {
            return Response(status: status)  // `retryAfter` is not finite
        }
    }

    /// Describes a status of the web layer itself.
    init(status: HTTPResponse.Status) {
        switch status {
        case .notFound:
            self.init(
                status, code: "notFound", title: "There is nothing here",
                detail: "The address is wrong, or what it named is gone. Go back to the start page.")
        case .contentTooLarge:
            self.init(
                status, code: "tooLarge", title: "The request is too large", detail: "Send less at one time.")
        default:
            self.init(
                status, code: "http\(status.code)", title: status.reasonPhrase,
                detail: "The server cannot answer this request. Go back to the start page.")
        }
    }
}
