import Foundation
import LecternTexts
import Testing

@Suite("Cancellation of importers")
struct CancellationTests {
    private let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    /// Reads in a task, which is cancelled before it starts or once the first part is there.
    private func isCancelled(_ importer: any TextImporting, afterFirstPart: Bool = false) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            let (parts, part) = AsyncStream.makeStream(of: Void.self)
            if !afterFirstPart { group.cancelAll() }
            group.addTask {
                defer { part.finish() }
                do {
                    try importer.read { _ in part.yield() }
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            for await _ in parts { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    @Test("Each format stops before its first chapter when its task is cancelled")
    func formats() async throws {
        let text = ImportedText.description
        let osis = try folder.file(
            "a.xml", "<osis><div type='book' osisID='Gen'><verse osisID='Gen.1.1'>a</verse></div></osis>")
        let usx = try folder.file("a.usx", "<usx><book code='GEN' style='id'/><para style='p'>a</para></usx>")
        let importers: [any TextImporting] = [
            BibleLinesImporter(.file(try folder.file("a.txt", "Ge1:1 a").path)),
            PlainTextImporter(BookSource(path: try folder.file("b.txt", "a").path)),
            MarkdownImporter(BookSource(path: try folder.file("a.md", "a").path)), OSISImporter(osis, text: text),
            USFMImporter(try folder.file("a.usfm", "\\id GEN\n\\c 1\n\\p\n\\v 1 a"), text: text),
            USXImporter(usx, text: text),
        ]
        for importer in importers { #expect(await isCancelled(importer), "\(importer)") }
        let epub = try MadeEPUB.book().write { try Data(contentsOf: URL(filePath: $0)) }
        let book = try folder.file("a.epub", epub)
        #expect(await isCancelled(EPUBImporter(BookSource(path: book.path))))
    }

    @Test("A program that is silent is killed when the task is cancelled")
    func program() async throws {
        let script = try folder.file(
            "mod2imp",
            """
            #!/bin/sh
            echo $$ > '\(folder.url.path)/pid'
            printf '$$$Genesis 1:1\\na\\n$$$Genesis 2:1\\nb\\n$$$Genesis 3:1\\nc\\n'
            exec tail -f /dev/null
            """)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        let importer = SwordImporter(
            module: "Test", text: ImportedText.description, program: script.path,
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.url.path], stall: 3600)
        #expect(await isCancelled(importer, afterFirstPart: true))
        let name = try String(contentsOf: folder.url.appendingPathComponent("pid"), encoding: .utf8)
        let process = try #require(Int32(name.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(process, 0) == -1)
        #expect(errno == ESRCH)
    }
}
