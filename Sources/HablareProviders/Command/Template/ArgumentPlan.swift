#if os(macOS) || os(Linux)
import Hablare

/// The checked arguments of a template. Its methods fill in the values of a request.
struct ArgumentPlan: Sendable {
    private enum Step: Sendable {
        case argument(CommandPiece)
        case group([CommandPiece])

        var pieces: [CommandPiece] {
            switch self {
            case .argument(let piece): [piece]
            case .group(let pieces): pieces
            }
        }
    }

    /// The name of the placeholder for the output file.
    static let output = "output"

    private let steps: [Step]
    private let placeholders: [CommandPlaceholder]
    private let byName: [String: CommandPlaceholder]

    /// Checks a template.
    ///
    /// - Throws: ``AIServiceError/Code/invalidConfiguration``, which names the template's problem.
    init(_ template: CommandTemplate) throws(AIServiceError) {
        try TemplateRules.check(template)
        var steps: [Step] = []
        for argument in template.arguments {
            var pieces: [CommandPiece] = []
            for piece in argument.pieces { pieces.append(try CommandPiece(piece)) }
            switch argument {
            case .piece: steps += pieces.map(Step.argument)
            case .optional: steps.append(.group(pieces))
            }
        }
        self.steps = steps
        placeholders = template.placeholders
        byName = Dictionary(placeholders.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the value of every placeholder for a request: the request's parameter, or the default.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` for an unknown, invalid or missing parameter.
    func values(for parameters: [String: ParameterValue]) throws(AIServiceError) -> [String: String] {
        for name in parameters.keys.sorted() where byName[name] == nil {
            throw AIServiceError(
                .invalidRequest,
                "There is no parameter \(name)." + NearestNames(placeholders.map(\.name)).hint(for: name))
        }
        var values: [String: String] = [:]
        for placeholder in placeholders {
            var value = placeholder.default
            if let given = parameters[placeholder.name], let text = try placeholder.text(of: given) { value = text }
            values[placeholder.name] = value
        }
        for step in steps {
            guard case .argument(let piece) = step else { continue }
            for name in piece.placeholders where values[name] == nil && name != Self.output {
                throw AIServiceError(
                    .invalidRequest,
                    """
                    The parameter \(name) is missing and has no default. Pass a value.
                    """)
            }
        }
        try refuseSmuggledOptions(values)
        return values
    }

    /// Returns the arguments for the result of ``values(for:)``.
    ///
    /// - Parameters:
    ///   - values: The placeholders' values.
    ///   - output: The path of the output file, if the template has one.
    /// - Returns: The arguments, without the program's name.
    func arguments(for values: [String: String], output: String?) -> [String] {
        var values = values
        values[Self.output] = output
        return steps.flatMap { step in
            let filled = step.pieces.compactMap { $0.filled(values) }
            return filled.count == step.pieces.count ? filled : []
        }
    }

    /// Throws an error for a value that the program would read as an option: a value that begins an argument with `-`.
    /// A negative number is allowed.
    private func refuseSmuggledOptions(_ values: [String: String]) throws(AIServiceError) {
        for piece in steps.flatMap(\.pieces) {
            guard let name = piece.leading, let placeholder = byName[name], let argument = piece.filled(values),
                argument.hasPrefix("-"), !(placeholder.mayBeginWithDash && piece.segments.count == 1)
            else { continue }
            throw placeholder.invalid("begins with -, which would make it an option of the program. Remove the -.")
        }
    }
}
#endif
