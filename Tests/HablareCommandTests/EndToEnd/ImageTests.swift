import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare image`: pictures from a text, and from pictures.
@Suite(.timeLimit(.minutes(5))) struct ImageTests {
    private static let png = FakeService.Manner().picture

    @Test func `A text becomes a picture, and the same command does not request it again`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["image", "A whale.", "--provider", "openai", "-o", "whale.png", "--size", "1024x1024"]
            #expect(await stage.run(words + ["--quality", "low"]) == .success, "\(stage.errors)")
            #expect(try stage.file("whale.png") == Self.png)
            #expect(stage.output == stage.folder.url.appending(path: "whale.png").path + "\n")
            let body = try #require(fake.bodies.first)
            #expect(fake.paths == ["/openai/v1/images/generations"])
            #expect(body[member: "size"] == "1024x1024" && body[member: "quality"] == "low")
            #expect(body[member: "prompt"] == "A whale." && body[member: "model"] == "image-x")
            #expect(await stage.run(words + ["--quality", "low"]) == .success)
            #expect(fake.paths.count == 1)
            #expect(await stage.run(words + ["--quality", "high"]) == .success)
            #expect(fake.paths.count == 2)
            #expect(await stage.run(words + ["--quality", "high", "--new"]) == .success)
            #expect(fake.paths.count == 3)
        }
    }

    @Test func `Several pictures are numbered, and only additional ones are requested later`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {image: openai}\n")
            #expect(await stage.run("image", "A whale.", "-o", "whale.png", "--sample", "2") == .success)
            #expect(await stage.run("image", "A whale.", "-o", "whale.png", "--sample", "3", "--json") == .success)
            #expect(fake.paths.count == 3)
            let names = try stage.folder.names().filter { $0.hasSuffix(".png") }
            #expect(names == ["whale-1.png", "whale-2.png", "whale-3.png"])
            let json = try #require(stage.output.firstIndex(of: "["))
            let rows = try #require(
                try JSONSerialization.jsonObject(with: Data(stage.output[json...].utf8)) as? [[String: Any]])
            #expect(rows.map { $0["sample"] as? Int } == [0, 1, 2])
            #expect(rows.allSatisfy { $0["format"] as? String == "png" && $0["id"] is String })
        }
    }

    @Test func `A failed picture is reported, the others are written, and only it is requested again`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { $0.number == 1 ? .text(400, "{}", type: "application/json") : nil }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let words = ["image", "A whale.", "--provider", "openai", "-o", "whale.png", "--sample", "3"]
            #expect(await stage.run(words) == .incomplete)
            #expect(stage.errors.contains("Of 3 pictures, 1 failed, and the others are written; 2 are done and kept."))
            #expect(try stage.folder.names().filter { $0.hasSuffix(".png") }.count == 2)
            #expect(await stage.run(words) == .success)
            #expect(fake.paths.count == 4)
            #expect(try stage.folder.names().filter { $0.hasSuffix(".png") }.count == 3)
        }
    }

    @Test func `With --new a failed picture is retried without the paid others`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { $0.number == 1 ? .text(400, "{}", type: "application/json") : nil }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let words = ["image", "A whale.", "--provider", "openai", "-o", "whale.png", "--sample", "3", "--new"]
            #expect(await stage.run(words) == .incomplete)
            let job = try #require(try stage.store().snapshots(SnapshotFilter()).first?.job).rawValue
            #expect(
                stage.errors.contains(
                    "To retry only what failed:\n  hablare retry --failed --job \(job) && hablare work\n"),
                "\(stage.errors)")
            #expect(stage.errors.contains("To list these: hablare ps --job \(job)\n"))
            #expect(!stage.errors.contains("hablare image"))
            // The advice of the message.
            #expect(await stage.run("retry", "--failed", "--job", job) == .success)
            #expect(await stage.run("work") == .success)
            #expect(fake.paths.count == 4)
            let snapshots = try stage.store().snapshots(SnapshotFilter())
            #expect(snapshots.map(\.phase) == [.completed, .completed, .completed])
            // The message also says how to write that picture to its file, because no other command does.
            let names = try stage.folder.names().filter { $0.hasSuffix(".png") }
            let missing = try #require((0..<3).first { !names.contains("whale-\($0 + 1).png") })
            let late = try #require(snapshots.first { $0.position == missing })
            let file = stage.folder.url.appending(path: "whale-\(missing + 1).png").path
            let line = ShellWords.joined(["hablare", "show", late.id.text, "-o", file])
            #expect(stage.errors.contains("To write the finished ones to files:\n  \(line)\n"), "\(stage.errors)")
            #expect(await stage.run("show", late.id.text, "-o", file) == .success)
            #expect(try stage.file("whale-\(missing + 1).png") == Self.png)
        }
    }

    @Test(arguments: [true, false])
    func `With --new missing or stopped pictures are found by their job, even with --quiet`(
        isStopped: Bool
    ) async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        if isStopped {
            manner.gate = gate
        } else {
            manner.instead = { _ in .text(400, "{}", type: "application/json") }
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let words = ["image", "A whale.", "--provider", "openai", "-o", "whale.png", "--new", "--quiet"]
            async let ended = stage.run(words)
            if isStopped {
                try await waitUntil { fake.paths.count == 1 }
                stage.send(.interrupt)
                stage.send(.interrupt)
            }
            #expect(await ended == (isStopped ? .interrupted : .incomplete))
            gate.open()
            let job = try #require(try stage.store().snapshots(SnapshotFilter()).first?.job).rawValue
            let note = "The same command would make new ones. To list these: hablare ps --job \(job)\n"
            #expect(stage.errors.contains(note), "\(stage.errors)")
            #expect(stage.output.isEmpty && !stage.errors.contains("Stopp"), "\(stage.errors)")
            #expect((stage.errors == note) == isStopped)
            #expect(try !stage.folder.names().contains("whale.png"))
        }
    }

    @Test func `With --new stopped pictures are resumed instead of repeated`() async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        manner.gate = gate
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let words = [
                "image", "A whale.", "--provider", "openai", "-o", "whale.png", "--sample", "3", "--new",
                "--concurrency", "1",
            ]
            async let ended = stage.run(words)
            try await waitUntil { fake.paths.count == 1 }
            stage.send(.interrupt)
            try await waitUntil { stage.errors.contains("Stopping.") }
            gate.open()
            #expect(await ended == .interrupted)
            let snapshots = try stage.store().snapshots(SnapshotFilter())
            let job = try #require(snapshots.first?.job).rawValue
            // A request that the engine has claimed may be sent before the engine gets the signal.
            let made = snapshots.count { $0.phase == .completed }
            #expect((1...2).contains(made))
            #expect(
                stage.errors.contains(
                    "Stopped: \(made) of 3 pictures done and kept. To continue:\n  hablare retry --failed --job \(job) && hablare work\n"
                ), "\(stage.errors)")
            #expect(stage.errors.contains("To list these: hablare ps --job \(job)\n"))
            #expect(!stage.errors.contains("hablare image"))
            #expect(await stage.run("retry", "--failed", "--job", job) == .success)
            #expect(await stage.run("work") == .success)
            #expect(fake.paths.count == 3)
            for snapshot in snapshots {
                let place = try #require(snapshot.position) + 1
                let file = stage.folder.url.appending(path: "whale-\(place).png").path
                let line = ShellWords.joined(["hablare", "show", snapshot.id.text, "-o", file])
                #expect(stage.errors.contains("\n  \(line)\n"), "\(stage.errors)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `A full disk gives the command to continue, with --new another one`(isAnew: Bool) async throws {
        let settled = Locked(0)
        let painter = ScriptedProvider(
            id: "painter", responseType: .image, limits: ProviderLimits(concurrency: 1, breaker: .never)
        ) { _ in .success(ProviderAnswer(.image(Body(Self.png), .png))) }
        let stage = try Stage(
            provider: painter,
            wrapStore: { store in
                BrokenStore(store) { writes in
                    settled.withLock { count in
                        for case .settle in writes { count += 1 }
                        return count > 1
                    }
                }
            })
        let words = ["image", "A whale.", "--provider", "painter", "-o", "whale", "--sample", "3"]
        #expect(await stage.run(words + (isAnew ? ["--new"] : [])) == .inputOutput)
        let job = try #require(try stage.store().snapshots(SnapshotFilter()).first?.job).rawValue
        let requests = "continue with (hablare retry --failed --job \(job) && hablare work)"
        #expect(stage.errors.contains(requests) == isAnew, "\(stage.errors)")
        #expect(stage.errors.contains("run the same command again") != isAnew, "\(stage.errors)")
    }

    @Test func `A pipe gets the picture, a terminal is refused`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("image", "-", "--provider", "openai", "--quiet", input: "A whale.") == .success)
            #expect(stage.printedData == Self.png)
            let terminal = try fake.stage(isTerminal: true)
            #expect(await terminal.run("image", "--provider", "openai", "Another.") == .usage)
            #expect(fake.paths.count == 1)
        }
    }

    @Test func `Input pictures and a mask are sent by content`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try Self.png.write(to: stage.folder.url.appending(path: "whale.dat"))
            let words = ["image", "Give it a hat.", "--provider", "openai", "-o", "hat.png", "--image", "whale.dat"]
            #expect(await stage.run(words) == .success, "\(stage.errors)")
            #expect(await stage.run(words + ["--mask", "whale.dat"]) == .success, "\(stage.errors)")
            #expect(fake.paths == ["/openai/v1/images/edits", "/openai/v1/images/edits"])
            let forms = fake.server.calls.map { String(decoding: $0.call.body, as: UTF8.self) }
            #expect(forms.allSatisfy { $0.contains("name=\"image\"; filename=\"image-1.png\"") })
            #expect(forms.map { $0.contains("name=\"mask\"") } == [false, true])
        }
    }

    @Test func `A picture in another format than its file name is kept, with the command to get it`() async throws {
        var manner = FakeService.Manner()
        manner.picture = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data("a picture".utf8)
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            #expect(await stage.run("image", "A whale.", "--provider", "openai", "-o", "whale.png") == .badInput)
            #expect(stage.errors.contains("a jpeg picture"))
            let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
            #expect(stage.errors.contains("hablare show \(id.text) -o "))
            #expect(await stage.run("show", id.text, "-o", "whale.jpeg") == .success)
            #expect(try stage.file("whale.jpeg") == manner.picture)
        }
    }

    @Test(arguments: [[], ["--new"]])
    func `A picture in the wrong format does not block the others`(options: [String]) async throws {
        let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data("a picture".utf8)
        var manner = FakeService.Manner()
        manner.instead = { call in
            guard call.number == 0 else { return nil }
            return try .json(200, ["data": [["b64_json": .string(jpeg.base64EncodedString())]]])
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let words = [
                "image", "A whale.", "--provider", "openai", "-o", "whale.png", "--sample", "3", "--concurrency", "1",
            ]
            #expect(await stage.run(words + options) == .badInput)
            let names = try stage.folder.names().filter { $0.hasPrefix("whale") }
            #expect(names.count == 2, "\(names)")
            // The service determines which one it was.
            let wrong = try #require((0..<3).first { !names.contains("whale-\($0 + 1).png") })
            let snapshots = try stage.store().snapshots(SnapshotFilter())
            let picture = try #require(snapshots.first { $0.position == wrong })
            let file = stage.folder.url.appending(path: "whale-\(wrong + 1).jpeg").path
            let list = ShellWords.joined(["hablare", "ps", "--job", picture.job?.rawValue ?? ""])
            let line = ShellWords.joined(["hablare", "show", picture.id.text, "-o", file])
            #expect(
                stage.errors.hasSuffix(
                    """
                    hablare: 1 of 3 pictures was not written. They are in the store: \(list)
                      picture \(wrong + 1): The answer is a jpeg picture, which cannot be converted to a .png file. \
                    It is in the store: \(line)

                    """), "\(stage.errors)")
            #expect(!stage.errors.contains("choose an output file"))
            #expect(names.allSatisfy { stage.output.contains($0) })
            #expect(await stage.run("show", picture.id.text, "-o", file) == .success)
        }
    }

    @Test(arguments: [[], ["--new"]])
    func `A damaged picture is reported with the command to replace it`(options: [String]) async throws {
        let painter = ScriptedProvider(
            id: "painter", responseType: .image, limits: ProviderLimits(concurrency: 1, breaker: .never)
        ) { _ in .success(ProviderAnswer(.image(Body(Self.png), .png))) }
        let stage = try Stage(
            provider: painter,
            wrapStore: { DamagedStore($0, having: .image(ObservedContent(Self.png, upTo: 0).body, .png)) })
        let words = ["image", "A whale.", "--provider", "painter", "-o", "whale"]
        #expect(await stage.run(words + options) == .badInput)
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id.text)
        let remedy = "To make it again, run hablare rm \(id), then the same command again."
        #expect(stage.errors.contains("Picture 1 cannot be used: It is missing or damaged. "), "\(stage.errors)")
        #expect(stage.errors.contains(remedy) == options.isEmpty, "\(stage.errors)")
        #expect(stage.errors.contains("the same command makes new ones") != options.isEmpty)
    }

    @Test func `The file name selects the format if the model has a choice`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["image", "A whale.", "--provider", "openai", "-o", "whale.jpg"]
            #expect(await stage.run(words) == .usage, "this model makes PNG only")
            #expect(stage.errors.contains("cannot be chosen for this model"))
            #expect(fake.server.connectionCount == 0)
            _ = await stage.run(words + ["--model", "gpt-image-2.6-flare"])
            #expect(fake.bodies.first?[member: "output_format"] == "jpeg")
        }
    }

    @Test func `After a stop the same command resumes`() async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        manner.gate = gate
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let words = ["image", "A whale.", "--provider", "openai", "-o", "whale.png"]
            async let ended = stage.run(words)
            try await waitUntil { fake.paths.count == 1 }
            stage.send(.interrupt)
            try await waitUntil { stage.errors.contains("Stopping.") }
            gate.open()
            #expect(await ended == .interrupted)
            #expect(stage.errors.contains("Stopped: 1 of 1 picture done and kept. To continue:\n  hablare image"))
            #expect(await stage.run(words) == .success)
            #expect(fake.paths.count == 1)
            #expect(try stage.file("whale.png") == Self.png)
        }
    }

    @Test(arguments: [
        (["A whale.", "--provider", "anthropic", "-o", "a.png"], CommandStatus.usage, "makes no pictures"),
        (["A whale.", "--provider", "openai", "-o", "a.gif"], .usage, ".png, .jpg or .webp"),
        (["A whale.", "--provider", "openai", "-o", "a.png", "--sample", "0"], .usage, "from 1 to 100"),
        (["A whale.", "--provider", "openai", "--sample", "2"], .usage, "--sample needs a file name"),
        (["A whale.", "--provider", "openai", "-o", "a.png", "--mask", "a.png"], .usage, "--mask needs --image"),
        (["A whale.", "--provider", "openai", "-o", "a.png", "--parameter", "sise=1"], .usage, "Did you mean size?"),
        (["A whale.", "--provider", "openai", "-o", "none/a.png"], .cannotCreate, "There is no folder"),
        (
            ["A whale.", "--provider", "openai", "-o", "a.png", "--image", "none.png"], .inputMissing,
            "There is no picture"
        ),
        ([" ", "--provider", "openai", "-o", "a.png"], .badInput, "The description is empty"),
        (["A whale.", "--provider", "local.image", "-o", "a.png"], .configuration, "image_model"),
    ])
    func `Invalid input is refused before any call`(
        words: [String], status: CommandStatus, problem: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run(["image"] + words) == status)
            #expect(stage.errors.contains(problem), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0 && !stage.composition().storeExists(stage.data))
        }
    }
}
