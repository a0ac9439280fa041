import AppCommand
import ArgumentParser
import Foundation
import LecternCore
import LecternWeb

/// Checks what Lectern needs, and says what to do.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the data, the texts and the programs that read texts.")

    @OptionGroup var data: DataOptions

    mutating func run() async throws {
        var isWell = true
        func report(_ subject: String, _ fault: String?) {
            print("\(fault == nil ? "ok  " : "FAIL") \(subject)\(fault.map { ": \($0)" } ?? "")")
            if fault != nil { isWell = false }
        }
        do {
            let texts = try await data.withApplication { application, _ in
                try await application.library.texts().map(\.id)
            }
            report("data in \(data.folder.path)", nil)
            report(
                texts.isEmpty ? "texts" : "texts: \(texts.joined(separator: ", "))",
                texts.isEmpty ? "There is no text. Import one, such as `lectern import kjv web`." : nil)
        } catch {
            report("data in \(data.folder.path)", CommandFailure(of: error).message)
        }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        for (program, package) in [("bible", "bible-kjv-text"), ("mod2imp", "libsword-utils")] {
            let isThere = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
            let advice = isThere ? "" : ": not installed. Install Debian's package \(package) to import its Bible."
            print("\(isThere ? "ok  " : "note") program \(program)\(advice)")
        }
        if !isWell { throw ExitCode(CommandFailure.Status.incomplete.rawValue) }
    }
}
