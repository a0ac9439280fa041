import Foundation
import HTTPTypes
import HablareTestKit
import Testing

@testable import HablareWeb

@Suite struct AccessControlTests {
    private let token = AccessToken()
    private let clock = ManualClock()

    private func access(password: String? = nil, wrongPasswords: Int = 10) throws -> AccessControl {
        var options = FaceOptions()
        options.limits.wrongPasswords = wrongPasswords
        if let password {
            options.address = .network(host: "0.0.0.0", password: try #require(FaceAddress.Password(password)))
        }
        return AccessControl(name: "sift", token: token, options: options, clock: FaceClock(clock))
    }

    private func isAllowed(_ access: AccessControl, _ fields: HTTPFields) -> Bool {
        access.decide(fields, port: 4747) == .allowed
    }

    @Test("The cookie of this port opens, alone and among others")
    func cookie() throws {
        let access = try access()
        #expect(isAllowed(access, [.cookie: "sift-4747=\(token.value)"]))
        #expect(isAllowed(access, [.cookie: "a=b; sift-4747=\(token.value); sift-4748=x"]))
        // Another program could have set a cookie of the same name for a longer path.
        #expect(isAllowed(access, [.cookie: "sift-4747=planted; sift-4747=\(token.value)"]))
    }

    @Test("Another cookie does not open")
    func otherCookies() throws {
        let access = try access()
        let values = [
            "", "sift-4747", "sift-4747=", "sift-4748=\(token.value)", "sift-4747=\(token.value)0",
            "sift-4747=\(token.value.dropLast())", "sift-4747=\(AccessToken().value)", "x-sift-4747=\(token.value)",
        ]
        for value in values { #expect(!isAllowed(access, [.cookie: value]), "\(value)") }
        #expect(!isAllowed(access, [:]))
        #expect(!isAllowed(access, [.authorization: "Bearer \(token.value)"]))
    }

    @Test("On a network address, the password opens as Basic and as Bearer")
    func password() throws {
        let access = try access(password: "correct: horse")
        let basic = Data("anyone:correct: horse".utf8).base64EncodedString()
        #expect(isAllowed(access, [.authorization: "Basic \(basic)"]))
        #expect(isAllowed(access, [.authorization: "bearer correct: horse"]))
        #expect(isAllowed(access, [.cookie: "sift-4747=\(token.value)"]))
        for value in ["Basic", "Basic !!!", "Basic \(Data("correct: horse".utf8).base64EncodedString())", "Bearer x"] {
            #expect(!isAllowed(access, [.authorization: value]), "\(value)")
        }
    }

    @Test("After ten wrong passwords, the right one is refused until the minute is over")
    func throttle() throws {
        let access = try access(password: "correct horse", wrongPasswords: 10)
        for _ in 0..<10 { #expect(!isAllowed(access, [.authorization: "Bearer wrong"])) }
        clock.advance(by: .seconds(59))
        guard case .refused(let problem, _) = access.decide([.authorization: "Bearer correct horse"], port: 4747) else {
            Issue.record("The password was accepted.")
            return
        }
        #expect(problem.status == .tooManyRequests)
        #expect(problem.retryAfter == .seconds(1))
        // A browser that is in stays in.
        #expect(isAllowed(access, [.cookie: "sift-4747=\(token.value)"]))
        clock.advance(by: .seconds(1))
        #expect(isAllowed(access, [.authorization: "Bearer correct horse"]))
    }

    @Test("A password has at least twelve characters and is never shown")
    func passwordText() throws {
        #expect(FaceAddress.Password("elevenchars") == nil)
        let password = try #require(FaceAddress.Password("twelve chars"))
        var dumped = ""
        dump(FaceAddress.network(host: "0.0.0.0", password: password), to: &dumped)
        #expect(!"\(password) \(String(reflecting: password)) \(dumped)".contains("twelve"))
    }
}
