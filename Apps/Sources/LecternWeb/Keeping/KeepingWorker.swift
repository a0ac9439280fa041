import Foundation
import HTTPTypes
import HablareWeb
import Hummingbird

/// The script at `/sw.js`, with which a browser keeps pages, texts and audio. It names the version of the assets, so that
/// a browser replaces its worker after an update of the program.
///
/// Browsers fetch a worker's modules without the cookie, so the server would refuse them. The script therefore holds the
/// modules that the worker needs, each as a function.
struct KeepingWorker: Sendable {
    /// The directory of the assets.
    let root: String
    private let script: ByteBuffer

    /// The modules of the worker. Each comes after those that it imports.
    private static let modules = ["words.js", "shelf.js", "kept-pages.js", "worker.js"]

    init(_ assets: Assets, files: [Assets.EmbeddedFile]) throws(AssetError) {
        root = assets.root
        var text = "'use strict';\nconst modules = {};\n"
        for name in Self.modules {
            guard let file = files.first(where: { $0.path == name }), !file.isBase64 else {
                throw AssetError(description: "The worker needs the asset '\(name)'.")
            }
            text += Self.function(name, of: file.contents)
        }
        // The paths are those of our own assets and need no escaping.
        let paths = assets.paths.map { "'\(assets.root)/\($0)'" }.joined(separator: ", ")
        text += "modules['worker.js'].startWorker(self, { root: '\(assets.root)', assets: [\(paths)] });\n"
        script = ByteBuffer(string: text)
    }

    /// Returns a module as a function that returns its exports.
    private static func function(_ name: String, of module: String) -> String {
        var exports: [String] = []
        let body =
            module
            .replacing(/import (\{[^}]*\}) from '\.\/([^']+)';/) { "const \($0.1) = modules['\($0.2)'];" }
            .replacing(/(?m)^export ((?:async )?(?:function|class|const) (\w+))/) { found in
                exports.append(String(found.2))
                return String(found.1)
            }
        return "modules['\(name)'] = (() => {\n\(body)\nreturn { \(exports.joined(separator: ", ")) };\n})();\n"
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
