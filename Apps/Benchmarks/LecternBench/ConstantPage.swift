import Foundation
import Hummingbird
import Logging

/// A page that never changes, from a Hummingbird server with one route: the most that a server of pages can reach.
struct ConstantPage {
    let bytes: Int

    func serve() async throws {
        let router = Router()
        let page = ByteBuffer(repeating: UInt8(ascii: "x"), count: bytes)
        router.get("/") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"], body: ResponseBody(byteBuffer: page))
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/\n"
                FileHandle.standardOutput.write(Data(address.utf8))
            }, logger: Logger(label: "constant") { _ in SwiftLogNoOpLogHandler() })
        try await application.run()
    }
}
