import Foundation
import HablarePersistence
import HablareWeb
import LecternCore
import LecternTexts
import Logging

@testable import LecternWeb

/// A text that is made in memory.
struct MadeText: TextImporting {
    let description: TextDescription
    let chapters: [Chapter]

    func read(_ receive: (TextPart) throws -> Void) throws {
        try receive(.text(description))
        var last: BookID?
        for chapter in chapters {
            if chapter.id.book != last, let entry = BookCatalogue.standard[chapter.id.book] {
                try receive(.book(entry.description))
                last = chapter.id.book
            }
            try receive(.chapter(chapter))
        }
    }

    /// John 2 and 3 with a heading, poetry, notes, red letters, and hostile text.
    static func sample(_ id: String, _ title: String) -> MadeText {
        let john = BookID(rawValue: "John")
        func verse(_ number: Int, _ inlines: [Inline]) -> Fragment {
            Fragment(verse: number, label: String(number), inlines)
        }
        return MadeText(
            description: TextDescription(
                id: id, title: title, abbreviation: id.uppercased(), kind: .scripture, language: "en",
                versification: "KJV", rights: "Public domain."),
            chapters: [
                Chapter(ChapterID(john, 2), blocks: [Block(.paragraph, [verse(1, [.text("A marriage in Cana.")])])]),
                Chapter(
                    ChapterID(john, 3),
                    blocks: [
                        Block(.heading(level: 2), [Fragment(verse: nil, [.text("By night")])]),
                        Block(
                            .paragraph,
                            [
                                verse(15, [.text("That whoever believes <script>alert(1)</script> & lives.")]),
                                verse(
                                    16,
                                    [
                                        .text("For God so loved ", .wordsOfChrist),
                                        .note(
                                            Note(
                                                .crossReference, [.text("Jn 2:1")],
                                                references: [Reference(VerseID(john, 2, 1))])),
                                        .text("the world", .wordsOfChrist),
                                    ]),
                            ]),
                        Block(.poetry(indent: 2), [Fragment(verse: 16, [.text("that he gave his only Son.")])]),
                    ]),
            ])
    }
}

/// A face for tests, with what is behind it.
struct MadeFace {
    let face: Face
    let personal: PersonalData
    let narration: Narration
    let listening: ListeningDesk
    let handouts: HandoutDesk
}

/// Makes a face over an empty database, or over one with two texts.
@MainActor
func makeFace(isEmpty: Bool = false) async throws -> MadeFace {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lectern-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let database = try await LecternApplication.database(folder)
    let library = TextLibrary(database)
    if !isEmpty {
        _ = try await library.add(from: MadeText.sample("web", "World English Bible"))
        _ = try await library.add(from: MadeText.sample("kjv", "King James Version"))
    }
    let personal = try await PersonalData(database: database)
    let narration = try Narration(in: folder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let listening = ListeningDesk(
        narrator: narration.narrator, voices: narration.voices, shelf: TextShelf(database), personal: personal)
    let handouts = HandoutDesk(in: folder.appending(path: "handouts"), narrator: narration.narrator)
    let face = try LecternFace.make(
        database: database, library: library, personal: personal, listening: listening, handouts: handouts,
        settings: ReaderSettings(),
        now: { Date(timeIntervalSince1970: 1_800_000_000) }, zone: .gmt
    ) { _ in }
    return MadeFace(face: face, personal: personal, narration: narration, listening: listening, handouts: handouts)
}
