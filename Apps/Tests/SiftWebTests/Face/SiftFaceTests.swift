import Foundation
import HTTPTypes
import HablareWeb
import HablareWebTestKit
import Testing

@testable import SiftCore
@testable import SiftWeb

@Suite("Sift's pages and commands")
struct SiftFaceTests {
    @Test("A person without scripts decides by buttons, and undoes it", arguments: FaceTransport.allCases)
    func decidesByForms(over transport: FaceTransport) async throws {
        let desk = await FakeDesk()
        try await withFace(try await makeFace(desk), over: transport) { client in
            var page = try await client.page("/")
            #expect(page.text.contains("IMG_1.jpg"))
            page = try await client.submit(try page.form(withButton: "Trash ←"))
            #expect(page.text.contains("IMG_2.jpg"))
            #expect(await desk.decided.map(\.kind) == [.trash])
            #expect(await desk.decided.map(\.version) == [.sample(1)])
            page = try await client.submit(try page.form(withButton: "Undo: Trash IMG_1.jpg"))
            #expect(page.text.contains("IMG_1.jpg"))
            #expect(await desk.decided.isEmpty)
        }
    }

    @Test("A damaged photo is shown with a note, and can be decided", arguments: FaceTransport.allCases)
    func showsDamage(over transport: FaceTransport) async throws {
        var damaged = Photo.sample(1)
        damaged.isDamaged = true
        let desk = await FakeDesk([damaged, .sample(2)])
        let note = "This file is damaged. It can still be decided."
        try await withFace(try await makeFace(desk), over: transport) { client in
            var page = try await client.page("/")
            #expect(page.text.contains(note))
            #expect(try await client.page("/photo/1").text.contains(note))
            page = try await client.submit(try page.form(withButton: "Trash ←"))
            #expect(await desk.decided.map(\.kind) == [.trash])
            #expect(page.text.contains("IMG_2.jpg") && !page.text.contains(note))
        }
    }

    @Test("The same command twice is one decision") func decidesOnce() async throws {
        let desk = await FakeDesk()
        try await withFace(try await makeFace(desk), over: .router) { client in
            let id = CommandID.fresh()
            let command = ["photo": "1", "version": PhotoAddress.text(of: .sample(1)), "action": "keep", "shown": ""]
            for _ in 0..<3 {
                let answer = try await client.command("decide", command, id: id)
                #expect(answer.status == .ok)
            }
            #expect(await desk.decided.map(\.id) == [id.uuid])
        }
    }

    @Test(
        "A command with a bad photo, version or action changes nothing",
        arguments: [
            ["photo": "x", "version": PhotoAddress.text(of: .sample(1)), "action": "keep"],
            ["photo": "1", "version": "../..", "action": "keep"],
            ["photo": "1", "version": PhotoAddress.text(of: .sample(1)), "action": "format"],
        ])
    func refusesNonsense(_ command: [String: String]) async throws {
        let desk = await FakeDesk()
        try await withFace(try await makeFace(desk), over: .router) { client in
            let refused = try await client.command("decide", command)
            #expect(refused.status == .conflict)
        }
        #expect(await desk.decided.isEmpty)
    }

    @Test("A refusal says what is wrong and what to do") func tellsRefusals() async throws {
        struct Problem: Decodable {
            let code: String
            let title: String
            let detail: String
        }
        let desk = await FakeDesk()
        await MainActor.run { desk.refusal = PhotoProcessingError(.photoChanged) }
        try await withFace(try await makeFace(desk), over: .router) { client in
            let command = ["photo": "1", "version": PhotoAddress.text(of: .sample(1)), "action": "keep"]
            let answer = try await client.command("decide", command)
            #expect(answer.status == .conflict)
            let problem = try answer.json(Problem.self)
            #expect(problem.code == "photoChanged")
            #expect(problem.title == PhotoProcessingError(.photoChanged).message)
        }
    }

    @Test("A burst is settled as the page showed it: one kept, the undecided others trashed, whatever came since")
    func settlesBursts() async throws {
        let desk = await FakeDesk()
        await MainActor.run {
            desk.deck.current = desk.all[1]
            desk.deck.burst = desk.all
        }
        try await withFace(try await makeFace(desk), over: .router) { client in
            let form = try await client.page("/").form(withButton: "Keep this, trash the rest")
            // A copy of the card adds a photo of the same second, and another file takes the name of the third one.
            await MainActor.run { desk.deck.burst = [.sample(9)] + desk.all.dropLast() + [.sample(8)] }
            let id = CommandID.fresh()
            for _ in 1...2 {
                let settled = try await client.command("settle", form.fields, id: id)
                #expect(settled.status == .ok)
            }
            let decided = await desk.decided
            #expect(decided.prefix(3).map(\.photo.rawValue) == [1, 3, 2])
            #expect(decided.prefix(3).map(\.version) == [.sample(1), .sample(3), .sample(2)])
            #expect(decided.prefix(3).map(\.kind) == [.trash, .trash, .keep])
            #expect(decided.prefix(3).map(\.id) == (0..<3).map { SiftCommand.part($0, of: id.uuid) })
            // A repetition names the same decisions, which the core does not make twice.
            #expect(decided.dropFirst(3).allSatisfy { one in decided.prefix(3).contains { $0.id == one.id } })
        }
    }

    @Test("The actions of one step and their reversals have ids of their own") func separatesIDs() {
        let id = CommandID.fresh().uuid
        let actions = (0..<600).flatMap { place in
            (0..<4).map { execution in
                let request = DecisionRequest(
                    id: SiftCommand.part(place, of: id), photo: PhotoID(rawValue: 1), version: .sample(1), kind: .trash)
                var action = Decision.sample(request, .sample(1), number: 1).action
                action.execution = execution
                return action
            }
        }
        #expect(Set(actions.map(\.actionID)).count == actions.count)
    }

    @Test("The first page explains the directions, and takes other ones") func welcomes() async throws {
        let desk = await FakeDesk()
        try await withFace(try await makeFace(desk, welcomed: false), over: .router) { client in
            var page = try await client.page("/")
            #expect(page.text.contains("Sort your photos"))
            let form = try page.form(withButton: "Start sorting")
            #expect(form.fields["left"] == "trash")
            page = try await client.submit(form, ["left": "keep", "up": "trash"])
            #expect(page.text.contains("IMG_1.jpg"))
            page = try await client.submit(try page.form(withButton: "Keep ←"))
            #expect(await desk.decided.map(\.kind) == [.keep])
        }
    }

    @Test("Two directions cannot do the same") func refusesSameDirections() async throws {
        try await withFace(try await makeFace(FakeDesk()), over: .router) { client in
            let command = ["left": "keep", "up": "keep", "right": "trash"]
            let same = try await client.command("start", command)
            #expect(same.status == .unprocessableContent)
        }
    }

    @Test("Names are text, whatever they contain") func escapesNames() async throws {
        let desk = await FakeDesk([.sample(1, name: #"<img src=x onerror="alert(1)">.jpg"#)])
        try await withFace(try await makeFace(desk), over: .router) { client in
            let page = try await client.page("/")
            #expect(!page.html.contains("<img src=x"))
            #expect(page.text.contains(#"<img src=x onerror="alert(1)">.jpg"#))
        }
    }

    @Test("Pictures have opaque addresses, and a stranger's version has none") func servesPictures() async throws {
        try await withFace(try await makeFace(FakeDesk()), over: .router) { client in
            let address = PhotoAddress.picture(PhotoID(rawValue: 1), .sample(1), .thumbnail)
            let picture = try await client.get(address)
            #expect(picture.text == "picture 1 thumbnail")
            let stranger = PhotoAddress.picture(PhotoID(rawValue: 1), .sample(2), .thumbnail)
            let foreign = try await client.get(stranger)
            #expect(foreign.status == .notFound)
            for edge in [1024, 2048] {
                let offered = try await client.get(
                    PhotoAddress.picture(PhotoID(rawValue: 1), .sample(1), .screen(maximumEdge: edge)))
                #expect(offered.status == .ok)
            }
            let other = PhotoAddress.picture(PhotoID(rawValue: 1), .sample(1), .screen(maximumEdge: 77))
            let unoffered = try await client.get(other)
            #expect(unoffered.status == .notFound)
        }
    }

    @Test(
        "Every page renders",
        arguments: [
            "/", "/welcome", "/review", "/history", "/history?show=trash", "/settings", "/photo/1",
            "/compare?photos=1,2,3", "/library",
            "/library?show=kept&camera=X-T4&from=2024-05-01&stars=3&label=Red&burst=1",
            "/alike", "/libraries",
        ])
    func renders(_ path: String) async throws {
        let desk = await FakeDesk()
        try await desk.decide([DecisionRequest(.sample(3), kind: .trash)])
        await MainActor.run {
            desk.deck.burst = desk.all
            desk.selection = Selection(filter: .rated(3), text: "3 stars or more", query: "stars=3")
            desk.groups = [AlikeGroup(reason: .burst, photos: desk.all.map(\.id), bySharpness: [])]
            desk.waiting = [
                WaitingDecision(
                    action: Decision.sample(DecisionRequest(.sample(3), kind: .trash), .sample(3), number: 1).action)
            ]
        }
        try await withFace(try await makeFace(desk), over: .router) { client in
            let page = try await client.page(path)
            #expect(page.text.contains("Sift"))
            #expect(!page.html.contains("{{"))
            #expect(!page.html.contains("Optional("))
        }
    }

    @Test("The history shows no picture of a photo that is in the trash, and restores it") func restores() async throws
    {
        let desk = await FakeDesk()
        try await desk.decide([
            DecisionRequest(.sample(1), kind: .trash), DecisionRequest(.sample(2), kind: .favourite),
        ])
        try await withFace(try await makeFace(desk), over: .router) { client in
            let page = try await client.page("/history")
            #expect(!page.html.contains("/media/1/"))
            #expect(page.html.contains("/media/2/"))
            _ = try await client.submit(try page.form(withButton: "Restore IMG_1.jpg"))
            #expect(await desk.undone.count == 1)
        }
    }

    @Test("The history makes an undone decision again") func redoes() async throws {
        let desk = await FakeDesk()
        try await desk.decide([DecisionRequest(.sample(1), kind: .keep)])
        await MainActor.run { desk.undoneInHistory = true }
        try await withFace(try await makeFace(desk), over: .router) { client in
            let page = try await client.page("/history")
            _ = try await client.submit(try page.form(withButton: "Do again: kept IMG_1.jpg"))
            #expect(await desk.redone == desk.decided.map(\.id))
        }
    }

    @Test("A label is set by a button, and only a known one") func labels() async throws {
        let desk = await FakeDesk()
        try await withFace(try await makeFace(desk), over: .router) { client in
            _ = try await client.submit(try await client.page("/").form(withButton: "Red label"))
            #expect(await desk.decided.map(\.label) == ["Red"])
            #expect(await desk.decided.map(\.kind) == [.label])
            let command = ["photo": "1", "version": PhotoAddress.text(of: .sample(1)), "label": "Pink"]
            let refused = try await client.command("label", command)
            #expect(refused.status == .conflict)
        }
    }

    @Test("The library is filtered by its address, and the card is narrowed to what it shows")
    func filters() async throws {
        let desk = await FakeDesk()
        try await withFace(try await makeFace(desk), over: .router) { client in
            let page = try await client.page("/library?camera=A+%26+B&stars=3&damaged=1")
            #expect(await desk.listed == [.every([.all, .camera("A & B"), .rated(3), .damaged])])
            _ = try await client.submit(try page.form(withButton: "Sort these 3 undecided photos"))
            let selection = try #require(await desk.selection)
            #expect(selection.filter == .every([.all, .camera("A & B"), .rated(3), .damaged]))
            #expect(selection.text == "A & B · 3 stars or more · Cannot be shown")
            let deck = try await client.page("/")
            #expect(deck.text.contains("Only: A & B · 3 stars or more · Cannot be shown"))
            _ = try await client.submit(try deck.form(withButton: "Show all photos"))
            #expect(await desk.selection == nil)
        }
    }

    @Test("Photos that are alike are offered, none of them is marked, and marked ones go in one step")
    func trashesMarked() async throws {
        let desk = await FakeDesk()
        await MainActor.run {
            desk.groups = [
                AlikeGroup(reason: .nearDuplicate, photos: desk.all.map(\.id), bySharpness: []),
                // Only one of these is undecided, so there is nothing to choose.
                AlikeGroup(reason: .burst, photos: [PhotoID(rawValue: 1), PhotoID(rawValue: 9)], bySharpness: []),
            ]
        }
        try await withFace(try await makeFace(desk), over: .router) { client in
            let page = try await client.page("/alike")
            #expect(page.text.contains("Look alike · 3 photos"))
            #expect(try await client.page("/alike?after=\(Int.max)").text.contains("1 group."))
            #expect(!page.text.contains("Burst"))
            #expect(!page.html.contains("checked"))
            let form = try page.form(withButton: "Trash the marked photos")
            #expect(form.fields["photos[]"] == nil)
            let none = try await client.command("trashMarked", [String: String]())
            #expect(none.status == .unprocessableContent)
            #expect(await desk.decided.isEmpty)
            let marked = ["photos": [Int64(1), 3].map { "\($0)/\(PhotoAddress.text(of: .sample($0)))" }]
            let done = try await client.command("trashMarked", marked)
            #expect(done.status == .ok)
            #expect(await desk.decided.map(\.photo.rawValue) == [1, 3])
            #expect(await desk.decided.map(\.kind) == [.trash, .trash])
        }
    }

    @Test("Another library is opened in the page, and pictures come from the library that has them")
    func switchesLibraries() async throws {
        let (first, second) = await (FakeDesk(), FakeDesk([.sample(2, name: "other.jpg")]))
        await MainActor.run { second.library.name = "Scans" }
        let desk = await DeskSwitch(first, [second])
        try await withFace(try await makeFace(desk), over: .router) { client in
            let page = try await client.page("/libraries")
            #expect(page.text.contains("Open now"))
            let opened = try await client.submit(try page.form(withButton: "Open Scans"))
            #expect(opened.text.contains("other.jpg"))
            _ = try await client.submit(try opened.form(withButton: "Trash ←"))
            #expect(await first.decided.isEmpty)
            #expect(await second.decided.map(\.photo.rawValue) == [2])
            let nowhere = try await client.command("openLibrary", ["library": "7"])
            #expect(nowhere.status == .conflict)
            await MainActor.run { first.hasPictures = false }
            let address = PhotoAddress.picture(PhotoID(rawValue: 2), .sample(2), .thumbnail)
            let picture = try await client.get(address)
            #expect(picture.text == "picture 2 thumbnail")
            try await desk.setReview(true)
            #expect(await first.queue.waitsForReview)
            #expect(await second.queue.waitsForReview)
        }
    }

    @Test("Unknown photos, and one photo alone, are not compared", arguments: ["9,1", "1", "1,1", "1,2,3,1,2", ""])
    func refusesComparisons(_ photos: String) async throws {
        try await withFace(try await makeFace(FakeDesk()), over: .router) { client in
            let compared = try await client.get("/compare?photos=\(photos)")
            #expect(compared.status == .notFound)
        }
    }

    @Test("Pages follow the desk") func streams() async throws {
        struct Deck: Decodable {
            struct Photo: Decodable { let name: String }
            let photo: Photo?
        }
        let desk = await FakeDesk()
        try await withFace(try await makeFace(desk), over: .router) { client in
            let state = try await client.state()
            let deck = try state.field("deck", as: Deck.self)
            #expect(deck.photo?.name == "IMG_1.jpg")
            #expect(state.fields == ["deck", "library", "queue", "review", "session", "settings"])
        }
    }
}
