import ArgumentParser
import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct RequestReferenceTests {
    private static let ids = [
        "00000000-0000-4000-8000-000000000000", "01982f6e-6c4b-7d1e-9a3f-0123456789ab",
        "01982f6e-6c4b-7d1e-9a3f-0123456789ac", "01982f6f-0000-7000-8000-000000000000",
        "ffffffff-ffff-4fff-bfff-ffffffffffff",
    ]

    /// Returns a stage whose store has requests of these ids.
    private func stage(_ ids: [String] = Self.ids) async throws -> Stage {
        let stage = try Stage()
        let manager = AIRequestManager(store: try stage.store(), providers: try ProviderRegistry([stage.provider]))
        for id in ids {
            try await manager.submit(
                AIRequest(id: try #require(UUID(uuidString: id)), prompt: .text("A text \(id)")), to: "espeak-ng")
        }
        return stage
    }

    @Test func `A reference is an id, the beginning of one, or last`() throws {
        let id = try #require(UUID(uuidString: Self.ids[1]))
        #expect(try RequestReference.parse(Self.ids[1]) == .id(id))
        #expect(try RequestReference.parse(Self.ids[1].uppercased()) == .id(id))
        #expect(try RequestReference.parse("last") == .last)
        for text in ["01982f6e-6C4b", "01982f6e6c4b", "01982f6e-6c4b-"] {
            #expect(try RequestReference.parse(text) == .prefix(#require(IDPrefix("01982f6e6c4b"))))
        }
        for text in ["", "-", "019", "lost", "01982f6g", "０１９８", Self.ids[1] + "0"] {
            #expect(throws: ValidationError.self, "\(text)") { try RequestReference.parse(text) }
        }
    }

    @Test func `Ids are numbers in their order`() throws {
        for text in Self.ids {
            let id = try #require(UUID(uuidString: text))
            #expect(UUID(number: id.number) == id)
        }
        #expect(UUID(number: 1).text == "00000000-0000-0000-0000-000000000001")
        #expect(IDPrefix("0000")?.predecessor == nil)
        #expect(IDPrefix("0001")?.predecessor?.text == "0000ffff-ffff-ffff-ffff-ffffffffffff")
    }

    @Test func `A unique beginning is found, at the ends of the order, too`() async throws {
        let stage = try await stage()
        for (text, index) in [("0000", 0), ("01982f6e-6c4b-7d1e-9a3f-0123456789ac", 2), ("01982f6f", 3), ("FFFF", 4)] {
            stage.clearScreen()
            #expect(await stage.run("show", text) == .success)
            #expect(stage.output.contains(Self.ids[index]), "\(text): \(stage.output)")
        }
    }

    @Test func `last is the request with the greatest id`() async throws {
        for count in 1...Self.ids.count {
            let stage = try await stage(Array(Self.ids.prefix(count)))
            #expect(try stage.store().lastID()?.text == Self.ids[count - 1])
        }
        let empty = try Stage()
        #expect(try empty.store().lastID() == nil)
        #expect(await empty.run("show", "last") == .inputMissing)
        #expect(empty.errors == "hablare: There are no requests in this store yet.\n")
    }

    @Test(arguments: ["show", "watch", "stream", "logs", "cancel", "retry", "rm"])
    func `Every command refuses an ambiguous and an unknown beginning`(command: String) async throws {
        let stage = try await stage()
        #expect(await stage.run(command, "01982f6e") == .usage)
        #expect(
            stage.errors == """
                hablare: Several ids begin with 01982f6e. Give more characters of one:
                  \(Self.ids[1])
                  \(Self.ids[2])

                """)
        stage.clearScreen()
        #expect(await stage.run(command, "0198aaaa") == .inputMissing)
        #expect(stage.errors.contains("There is no request in this store whose id begins with 0198aaaa."))
        stage.clearScreen()
        #expect(await stage.run(command, "019") == .usage)
        #expect(stage.errors.contains("It is too short. Give at least 4 characters"), "\(stage.errors)")
        #expect(try stage.store().snapshots(SnapshotFilter()).map(\.phase) == Array(repeating: .pending, count: 5))
    }

    @Test func `cancel, retry, watch, logs and rm take a beginning or last`() async throws {
        let stage = try await stage()
        let id = Self.ids[4]
        #expect(await stage.run("cancel", "ffff") == .success)
        #expect(await stage.run("retry", "last") == .success)
        #expect(await stage.run("cancel", "last") == .success)
        #expect(await stage.run("watch", "last") == .incomplete)
        #expect(await stage.run("stream", "last") == .incomplete)
        #expect(await stage.run("logs", "last") == .success)
        #expect(await stage.run("rm", "last") == .success)
        #expect(stage.output.contains("cancelled \(id)") && stage.output.contains("\(id) waits again"))
        #expect(stage.output.contains("removed \(id)"))
        #expect(try stage.store().lastID()?.text == Self.ids[3])
    }

    @Test func `Only five candidates are listed`() async throws {
        let stage = try await stage((0..<7).map { "01982f6e-6c4b-7d1e-9a3f-00000000000\($0)" })
        #expect(await stage.run("show", "0198") == .usage)
        #expect(stage.errors.contains("000004\n  and more\n") && !stage.errors.contains("000005"))
    }
}
