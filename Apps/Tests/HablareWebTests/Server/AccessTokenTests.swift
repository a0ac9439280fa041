import Foundation
import HablareWeb
import Testing

@Suite struct AccessTokenTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)").path

    @Test("A stored token is the same the next time, and only its owner can read it")
    func stored() throws {
        defer { unlink(file) }
        let token = try AccessToken.stored(in: file)
        #expect(try AccessToken.stored(in: file) == token)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(
        "A file that holds something else is not replaced",
        arguments: ["", "secret", String(repeating: "g", count: 64)])
    func foreign(_ contents: String) throws {
        defer { unlink(file) }
        try Data(contents.utf8).write(to: URL(filePath: file))
        #expect(throws: AccessTokenError.self) { try AccessToken.stored(in: file) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == contents)
    }

    @Test("A symbolic link is not followed")
    func link() throws {
        defer { unlink(file) }
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/tmp/elsewhere")
        #expect(throws: AccessTokenError.self) { try AccessToken.stored(in: file) }
    }

    @Test("A token has 64 hexadecimal digits")
    func form() {
        #expect(AccessToken().value.count == 64)
        #expect(AccessToken(AccessToken().value) != nil)
        #expect(AccessToken() != AccessToken())
        #expect(AccessToken("abc") == nil)
    }
}
