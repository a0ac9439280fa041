import ArgumentParser
import Foundation
import Hablare
import HablareSQLite

/// `hablare doctor`: looks whether everything is as it should be, and says what to do where it is not.
struct DoctorCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the settings, the store, the content files, the programs, the voices and the prices.",
        discussion: """
            Exit status 0 when nothing is broken, every program of programs.json is there, and at least one provider \
            can be asked, 78 when hablare.yaml, programs.json or prices.json is not as it \
            should be, else 1.

            EXAMPLES:
              hablare doctor
              hablare doctor --json | jq '.findings[] | select(.problem)'
            """)

    @Flag(name: .long, help: "Print a JSON object.")
    var json = false

    @OptionGroup var prices: PriceOptions

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        var report = DoctorReport()
        var status: CommandStatus?
        var settings: Settings?
        do {
            settings = try data.settings(in: composition)
        } catch let failure as CommandFailure where failure.status == .configuration {
            report.addFailure(of: "settings", failure)
            status = failure.status
        }
        // Without them nobody knows where the store is.
        if let settings {
            report.add(settings, composition.services(settings))
            try diagnoseStore(in: composition, &report)
        }
        var table = PriceTable.shipped
        let file = prices.file(in: composition)
        var own: PriceTable?
        do {
            own = try file?.table()
            table = own ?? table
        } catch let failure as CommandFailure {
            report.addFailure(of: "prices", failure)
            status = failure.status
        }
        do {
            let providers = try composition.providers(.forAsking(table))
            for installed in providers {
                report.add(
                    installed.provider.id.rawValue, isOwn: installed.isOwn, await installed.health(),
                    await voices(of: installed))
            }
            report.conclude()
            if status == nil { report.add(table, from: own == nil ? nil : file, for: providers) }
        } catch let failure as CommandFailure {
            // No provider is known while the file that names the programs is not understood.
            report.addFailure(of: "programs", failure)
            status = failure.status
        }
        let console = composition.console
        try await console.print(
            json ? JSONText.of(report) : report.lines(console.outputStyle).joined(separator: "\n"), isStyled: !json)
        return status ?? (report.isHealthy ? .success : .incomplete)
    }

    private func diagnoseStore(in composition: Composition, _ report: inout DoctorReport) throws {
        let folder = try data.folder(in: composition)
        report.folder = folder.path
        do {
            if composition.storeExists(folder) {
                report.add(try composition.openStore(folder).diagnose())
            } else {
                report.addMissingStore(in: folder)
            }
        } catch let error as AIServiceError {
            let failure = CommandFailure(opening: folder, for: .changing, error, in: composition)
            report.addStoreFailure(error.code, failure)
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
