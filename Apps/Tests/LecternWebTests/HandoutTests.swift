import Foundation
import HTTPTypes
import Hablare
import HablareWeb
import HablareWebTestKit
import LecternCore
import LecternTexts
import Testing

@testable import LecternWeb

/// Files to hand out, made with the real espeak-ng.
@Suite("Handing out on the pages", .serialized)  // Each test runs an engine that starts programs.
struct HandoutTests {
    /// Runs a server with its engine and the desk that makes files.
    private func handingOut(
        over transport: FaceTransport = .router, _ body: @escaping @Sendable (FaceClient, MadeFace) async throws -> Void
    ) async throws {
        let made = try await makeFace()
        try await withThrowingTaskGroup { group in
            group.addTask { try await made.narration.engine.run() }
            group.addTask { try await made.handouts.run() }
            group.addTask {
                try await withFace(made.face, over: transport) { try await body($0, made) }
                throw CancellationError()
            }
            do {
                while try await group.next() != nil {}
            } catch is CancellationError {
                group.cancelAll()
            }
        }
    }

    private func state(_ client: FaceClient, until isSo: (HandoutState) -> Bool) async throws -> HandoutState {
        while true {
            try Task.checkCancellation()
            let state = try await client.state().field("handouts", as: HandoutState.self)
            if isSo(state) { return state }
            await Task.yield()
        }
    }

    @Test("A person without scripts makes a file of each form and downloads it", arguments: Handout.Form.allCases)
    func makesEachForm(_ form: Handout.Form) async throws {
        try await handingOut(over: form == .text ? .socket : .router) { client, _ in
            var page = try await client.page("/handouts?in=web&at=John.3")
            page = try await client.submit(
                try page.form(withButton: "Make the file"), ["part": "John.3", "form": form.rawValue])
            #expect(page.text.contains("John 3 (World English Bible)"))
            let item = try #require(
                try await state(client) { $0.items.first?.phase == "ready" }.items.first)
            #expect(item.percent == 100)
            let answer = try await client.get(try #require(item.href))
            #expect(answer.status == .ok)
            let disposition = try #require(answer.headers[.contentDisposition])
            #expect(disposition.hasPrefix("attachment; filename*=UTF-8''John%203%20%28World%20English%20Bible%29"))
            #expect(disposition.hasSuffix("." + form.fileExtension))
            if form == .text {
                #expect(answer.text.hasPrefix("John 3\n\n15 That whoever believes <script>"))
            } else {
                #expect(answer.text.hasPrefix("PK\u{3}\u{4}"))
            }
            #expect(try await client.page("/handouts").links["John 3 (World English Bible)"] == item.href)
        }
    }

    @Test("A file that is removed is gone, and the same command twice is one file")
    func removesFiles() async throws {
        try await handingOut { client, _ in
            let id = CommandID.fresh()
            let json = #"{"id": "\#(id)", "text": "web", "part": "", "form": "text"}"#
            for _ in 0..<2 { #expect(try await client.post("/commands/handOut", json: json).status == .ok) }
            let made = try await state(client) { $0.items.first?.phase == "ready" }
            #expect(made.items.count == 1)
            let href = try #require(made.items.first?.href)
            let page = try await client.page("/handouts")
            _ = try await client.submit(
                try page.form(withButton: "Remove World English Bible, Plain text"))
            #expect(try await client.get(href).status == .notFound)
            #expect(try await state(client) { $0.items.isEmpty }.isBusy == false)
        }
    }

    @Test("A file that waits is never removed for another one")
    func keepsWhatWaits() async throws {
        // Without the desk's work, all files wait.
        try await withFace(try await makeFace().face, over: .router) { client in
            func add() async throws -> HTTPResponse.Status {
                try await client.post(
                    "/commands/handOut",
                    json: #"{"id": "\#(CommandID.fresh())", "text": "web", "part": "John.3", "form": "text"}"#
                ).status
            }
            for _ in 0..<HandoutDesk.most { #expect(try await add() == .ok) }
            let before = try await state(client) { _ in true }
            #expect(try await add() == .conflict)
            #expect(try await state(client) { _ in true } == before)
            #expect(before.items.count == HandoutDesk.most)
        }
    }

    @Test(
        "What cannot be made is refused with advice",
        arguments: [
            (#""text": "none", "part": "", "form": "text""#, HTTPResponse.Status.notFound),
            (#""text": "web", "part": "Rom.3", "form": "text""#, .notFound),
            (#""text": "web", "part": "John.99", "form": "epub""#, .notFound),
            (#""text": "web", "part": "../../etc", "form": "text""#, .notFound),
            (#""text": "web", "part": "John.3", "form": "pdf""#, .unprocessableContent),
        ])
    func refuses(_ fields: String, _ status: HTTPResponse.Status) async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let answer = try await client.post(
                "/commands/handOut", json: #"{"id": "\#(CommandID.fresh())", \#(fields)}"#)
            #expect(answer.status == status)
        }
    }

    @Test("The reminders of a plan are a calendar file at the chosen time")
    func remindsOfPlans() async throws {
        let made = try await makeFace()
        // Two days, from the day of the face's clock.
        let now = Moment(Date(timeIntervalSince1970: 1_800_000_000))
        let john = BookID(rawValue: "John")
        _ = try await made.personal.perform(
            PlanCommand(
                id: UUID(), madeAt: now, offset: 0,
                .begin(
                    plan: UUID(), name: "Two days", template: .own(passages: ["John.2", "John.3"], days: 2),
                    text: "web", start: CalendarDay(now, offset: 0))),
            in: PlanText([
                PlanText.Chapter(ChapterID(john, 2), verses: [1]),
                PlanText.Chapter(ChapterID(john, 3), verses: [15, 16]),
            ]))
        try await withFace(made.face, over: .router) { client in
            let plans = try await client.page("/plans")
            let form = try plans.form(withButton: "Reminders of Two days for your calendar")
            let answer = try await client.get(form.action + "?at=21%3A30")
            #expect(answer.headers[.contentType] == "text/calendar; charset=utf-8")
            #expect(answer.text.hasPrefix("BEGIN:VCALENDAR\r\n"))
            #expect(answer.text.contains("T213000\r\n"))
            #expect(answer.text.contains("SUMMARY:Two days: John "))
            for wrong in ["25%3A00", "7", "07%3A60", "x"] {
                #expect(try await client.get(form.action + "?at=\(wrong)").status == .unprocessableContent)
            }
            #expect(try await client.get("/plans/\(UUID())/reminders.ics").status == .notFound)
        }
    }

    @Test("Notes are downloaded as Markdown and as JSON")
    func downloadsNotes() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let page = try await client.page("/mark?in=web&at=John.3.16")
            _ = try await client.submit(try page.form(withButton: "Save note"), ["note": "Grace"])
            #expect(try await client.get("/data/notes.md").text.hasPrefix("## John 3:16\n\nGrace\n"))
            let answer = try await client.get("/data/notes.json")
            let notes = try JSONDecoder().decode([NoteDocument.Entry].self, from: Data(answer.text.utf8))
            #expect(notes.map(\.text) == ["Grace"])
            #expect(notes.map(\.osis) == ["John.3.16"])
        }
    }
}
