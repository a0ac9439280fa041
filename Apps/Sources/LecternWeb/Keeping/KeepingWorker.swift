import HTTPTypes
import HablareWeb
import Hummingbird

/// The script at `/sw.js`, with which a browser keeps pages, texts and audio. It names the version of the assets, so that
/// a browser replaces its worker after an update of the program.
struct KeepingWorker: Sendable {
    /// The directory of the assets.
    let root: String
    private let script: ByteBuffer

    init(_ assets: Assets) {
        root = assets.root
        // The paths are those of our own assets and need no escaping.
        let paths = assets.paths.map { "'\(assets.root)/\($0)'" }.joined(separator: ", ")
        script = ByteBuffer(
            string: """
                import { startWorker } from '\(assets.root)/worker.js';
                startWorker(self, { root: '\(assets.root)', assets: [\(paths)] });

                """)
    }

    /// The response. Browsers do not cache it, and let it serve all pages.
    var response: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/javascript; charset=utf-8", .cacheControl: "no-store",
                .serviceWorkerAllowed: "/",
            ], body: ResponseBody(byteBuffer: script))
    }
}

extension HTTPField.Name {
    fileprivate static let serviceWorkerAllowed = Self("Service-Worker-Allowed") ?? .cacheControl
}
