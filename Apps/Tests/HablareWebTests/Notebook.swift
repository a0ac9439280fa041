import Foundation
import HablarePresentation
import HablareWeb
import Hummingbird
import Observation

/// A small app for the tests: notes, a counter, and a command of each kind.
@Observable @MainActor
final class Notebook {
    struct Notes: WebState, Decodable, Equatable {
        var texts: [String] = []
    }

    struct Count: WebState, Decodable, Equatable {
        var value = 0
    }

    struct Addition: Codable, Sendable {
        var text: String
    }

    enum Failure: Error {
        case full
        case unknown
    }

    var notes = Notes()
    var count = Count()
    /// The acts that were committed.
    @ObservationIgnored private(set) var acts: [CommandID] = []
    /// The work that a command waits for before it commits.
    @ObservationIgnored var beforeCommit: @MainActor @Sendable () async throws -> Void = {}

    nonisolated init() {}

    func add(_ text: String, _ id: CommandID) async throws -> Notes {
        try await beforeCommit()
        if text == "full" { throw Failure.full }
        if text == "unknown" { throw Failure.unknown }
        acts.append(id)
        notes.texts.append(text)
        return notes
    }

    nonisolated static let templates: [Assets.EmbeddedFile] = [
        (
            "layout.mustache",
            """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{$title}}Notes{{/title}}</title>
            <link rel="stylesheet" href="{{asset notes.css}}"><script type="module" src="{{asset notes.js}}"></script>
            </head><body><main>{{$main}}{{/main}}</main></body></html>
            """, false
        ),
        (
            "notes.mustache",
            """
            {{<layout}}{{$main}}<h1>{{heading}}</h1><ul>{{#texts}}<li title="{{.}}">{{.}}</li>{{/texts}}</ul>
            <form method="post" action="/commands/add"><input type="hidden" name="id" value="{{id}}">
            <label>Text <input name="text"></label><button>Add</button></form>
            {{/main}}{{/layout}}
            """, false
        ),
        ("notes.css", "h1 { color: red }", false),
        ("notes.js", "import './other.js';", false),
        ("other.js", "export {};", false),
        ("root/service-worker.js", "// worker", false),
    ]

    struct Page: Sendable {
        let heading: String
        let texts: [String]
        let id: CommandID
    }

    /// Returns the app's face.
    nonisolated func face(
        media: Media? = nil, configure: (inout Face) -> Void = { _ in }
    ) throws -> Face {
        let assets = try Assets(webLayer: [], app: Self.templates)
        let pages = try Pages(assets)
        var face = Face(name: "notes", pages: pages, assets: assets)
        face.states.feed("notes") { self.notes }
        face.states.feed("count") { self.count }
        face.commands.on("add", Addition.self, pageAfterForm: "/") { addition, id in
            try await self.add(addition.text, id)
        }
        face.commands.on("count", [String: String].self) { _, _ in self.count.value += 1 }
        face.media = media
        face.routes = { router in
            router.get("/") { _, _ in
                var generator = SystemRandomNumberGenerator()
                return try pages.page(
                    "notes",
                    Page(
                        heading: "Notes", texts: await self.notes.texts,
                        id: CommandID(date: Date(), using: &generator)))
            }
        }
        face.problem = { error in
            guard case Failure.full = error else { return nil }
            return FaceProblem(.conflict, code: "full", title: "The notebook is full", detail: "Delete a note.")
        }
        configure(&face)
        return face
    }
}
