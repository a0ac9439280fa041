import ArgumentParser
import Foundation
import HablareStructured

struct ToolOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A program that the model may call, or a JSON file that describes a program. Can be repeated. See \
            docs/tools.md.
            """, valueName: "program"),
        completion: .file())
    var tool: [String] = []

    @Flag(help: "With --tool: run the tools without asking.")
    var yes = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --tool: the maximum number of calls of the model. Default: 16.", valueName: "n"))
    var maxTurns: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            With --tool: if the calls have cost this much, do not call the model or a tool again.
            """, valueName: "dollars"))
    var maxCost: Double?

    @Flag(help: "With --tool: start from the beginning, even if the same command was interrupted before.")
    var new = false

    static let mostCost = 1_000_000.0

    func validate() throws {
        try checkNumber("--max-turns", maxTurns, in: 1...1_000)
        if let maxCost, !(maxCost >= 0 && maxCost <= Self.mostCost) {
            throw ValidationError("--max-cost is \(maxCost). Give dollars, from 0 to \(Int(Self.mostCost)).")
        }
        guard tool.isEmpty, yes || maxTurns != nil || maxCost != nil || new else { return }
        throw ValidationError(
            "--yes, --max-turns, --max-cost and --new are about tools. Add --tool, or leave them out.")
    }

    var limits: ToolLimits {
        ToolLimits(
            turns: maxTurns ?? ToolLimits().turns,
            microDollars: maxCost.map { Int64(($0 * 1_000_000).rounded()) })
    }
}
