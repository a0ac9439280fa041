import ArgumentParser
import Foundation
import Hablare
import HablareSQLite

struct DoctorCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check settings, store, programs and prices.",
        usage: "hablare doctor [<options>]",
        discussion: """
            EXAMPLES:
              hablare doctor
              hablare doctor --json | jq '.findings[] | select(.problem)'

            The command also checks the files that hold the content of answers, and the voices.

            Exit status: 0 no problem was found, and at least one provider can be called; 78 hablare.yaml, \
            programs.json or prices.json is invalid; 1 any other problem.
            """)

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var prices: PriceOptions

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let settings = try outcome { try data.settings(in: composition) }
        if case .failure(let failure) = settings, failure.status != .configuration { throw failure }
        let file = prices.file(in: composition)
        let own = try outcome { try file?.table() }
        let table = own.value.flatMap(\.self) ?? .shipped
        let programs = try outcome { try composition.providers(.forAsking(table)) }
        var report = DoctorReport()
        // Without the settings the store's folder is unknown.
        if let settings = settings.value {
            let services = composition.services(settings, beside: programs.value?.programNames ?? [])
            report.add(settings, services)
            report.add(modelsOf: services, in: composition.catalog, at: composition.seams.date())
            try diagnoseStore(settings, in: composition, &report)
        }
        report.add("settings", invalid: settings.failure)
        report.add("prices", invalid: own.failure)
        // Without a readable programs.json no provider is known.
        if let programs = programs.value {
            for program in programs {
                report.add(program.name, isOwn: program.isOwn, await program.health(), await voices(of: program))
            }
            report.conclude()
            if let settings = settings.value, let own = own.value {
                let payees = KnownProviders(programs: programs, services: settings.services)
                report.add(table, from: own == nil ? nil : file, for: payees)
            }
        }
        report.add("programs", invalid: programs.failure)
        let console = composition.console
        try await console.print(
            json ? JSONText.of(report) : report.lines(console.outputStyle).joined(separator: "\n"), isStyled: !json)
        let failure = programs.failure ?? own.failure ?? settings.failure
        return failure?.status ?? (report.isHealthy ? .success : .incomplete)
    }

    private func outcome<Value>(_ read: () throws -> Value) throws -> Result<Value, CommandFailure> {
        do {
            return .success(try read())
        } catch let failure as CommandFailure {
            return .failure(failure)
        }
    }

    private func diagnoseStore(_ settings: Settings, in composition: Composition, _ report: inout DoctorReport) throws {
        let folder = try data.folder(settings, in: composition)
        report.folder = folder.path
        if let free = composition.freeSpace(folder) { report.add(free: free, on: folder) }
        do {
            if composition.storeExists(folder) {
                report.add(try composition.openStore(folder).diagnose())
            } else {
                report.add("store", "absent", "There is no store in \(folder.path) yet. The first request creates it.")
            }
        } catch {
            // Any error, such as a folder that cannot be created, becomes a finding: the rest of the report is still
            // printed.
            let known = error as? AIServiceError
            let failure =
                known.map { CommandFailure(opening: folder, for: .changing, $0, in: composition) }
                ?? CommandFailure(error)
            report.add("store", (known?.code ?? .storageFailed).rawValue, failure.message, isProblem: true)
        }
    }

    private func voices(of installed: InstalledProvider) async -> Result<Int, AIServiceError> {
        do {
            return .success(try await installed.voices().count)
        } catch {
            return .failure(error as? AIServiceError ?? AIServiceError(.providerFailed, "Its voices cannot be listed."))
        }
    }
}
