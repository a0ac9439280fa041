import Foundation
import Hablare
import HablareFileErrors
import HablareFiles

/// Compares the content files with the rows that refer to them.
struct ContentCheck {
    /// The maximum time, in seconds, between the write of a content file and the write of its row by a running process.
    private static let inUse: TimeInterval = 3600

    let files: ContentFiles
    /// Whether a process may be using the store. If so, a new file without a row may still get its row.
    let mayBeInUse: Bool

    func run(_ references: [RowCheck.Reference], into diagnosis: inout StoreDiagnosis) throws {
        var known: Set<String> = []
        for reference in references {
            let file = files.file(of: reference.content)
            known.insert(file.path)
            if let finding = try check(reference, file) { diagnosis.findings.append(finding) }
        }
        var unreferenced = (count: 0, bytes: Int64(0))
        var unfinished = (count: 0, bytes: Int64(0))
        for file in try files.all() {
            let status = try translatingFileFailures { try FileSystem.status(of: file.path, followingLinks: false) }
            guard let status, status.kind == .file else { continue }
            let (size, date) = (Int64(status.size), status.modified)
            diagnosis.contentFiles += 1
            diagnosis.contentBytes += size
            if known.contains(file.path) { continue }
            if mayBeInUse, date.timeIntervalSinceNow > -Self.inUse { continue }
            if file.pathExtension == "tmp" {
                unfinished = (unfinished.count + 1, unfinished.bytes + size)
            } else {
                unreferenced = (unreferenced.count + 1, unreferenced.bytes + size)
            }
        }
        note(.contentUnfinished, unfinished, "that a killed process did not finish", &diagnosis)
        note(.contentUnreferenced, unreferenced, "that no request refers to", &diagnosis)
    }

    private func check(_ reference: RowCheck.Reference, _ file: URL) throws -> StoreDiagnosis.Finding? {
        let id = reference.request.uuidString.lowercased()
        let what = reference.isPrompt ? "prompt" : "response"
        let advice = "Remove the request and run its command again: hablare rm \(id)"
        guard let status = try translatingFileFailures({ try FileSystem.status(of: file.path) }) else {
            return StoreDiagnosis.Finding(
                kind: .contentMissing, isProblem: true,
                message: "The file of the \(what) of request \(id) is missing (\(file.path)). \(advice)")
        }
        guard status.size == reference.content.byteCount else {
            return StoreDiagnosis.Finding(
                kind: .contentSize, isProblem: true,
                message:
                    "The file of the \(what) of request \(id) has \(status.size) bytes instead of \(reference.content.byteCount) (\(file.path)). \(advice)"
            )
        }
        return nil
    }

    private func note(
        _ kind: StoreDiagnosis.Finding.Kind, _ found: (count: Int, bytes: Int64), _ what: String,
        _ diagnosis: inout StoreDiagnosis
    ) {
        guard found.count > 0 else { return }
        let files = found.count == 1 ? "1 content file" : "\(found.count) content files"
        diagnosis.findings.append(
            StoreDiagnosis.Finding(
                kind: kind, isProblem: false,
                message:
                    """
                    There are \(files) \(what), \(found.bytes) bytes in all. They do no harm but take space. The \
                    interrupted command uses them when it is run again; `hablare prune` removes those that are older \
                    than an hour.
                    """
            ))
    }
}
