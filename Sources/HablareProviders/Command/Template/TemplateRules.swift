#if os(macOS) || os(Linux)
import Hablare

/// The checks of a template. They ensure that no value of a request can change what the program does in an unintended
/// way.
enum TemplateRules {
    /// Checks a template.
    ///
    /// - Throws: ``AIServiceError/Code/invalidConfiguration``, which names the template's problem.
    static func check(_ template: CommandTemplate) throws(AIServiceError) {
        let path = template.executable
        guard !path.isEmpty, !path.utf8.contains(0), path.hasPrefix("/") || !path.contains("/") else {
            throw wrong(template, "has no usable program. Give a name without slashes, or an absolute path.")
        }
        guard template.maximumOutputBytes > 0 else {
            throw wrong(template, "allows no output. Give a maximum of at least 1 byte.")
        }
        guard template.environment.allSatisfy(ProgramEnvironment.isName) else {
            throw wrong(template, "names a variable of the environment that cannot exist. Give names, without values.")
        }
        try checkPlaceholders(template)
        try checkArguments(template)
    }

    private static func checkPlaceholders(_ template: CommandTemplate) throws(AIServiceError) {
        var seen: Set<String> = []
        for placeholder in template.placeholders {
            let name = placeholder.name
            if isPrompt(name) { throw promptAsArgument(template) }
            guard CommandPiece.isName(name), name != ArgumentPlan.output else {
                throw wrong(template, "has a placeholder with the invalid name \(name.debugDescription).")
            }
            guard seen.insert(name).inserted else { throw wrong(template, "has two placeholders named \(name).") }
            guard let value = placeholder.default else { continue }
            do throws(AIServiceError) {
                _ = try placeholder.checked(value)
            } catch {
                throw wrong(template, "has an invalid default. \(error.message)")
            }
            guard placeholder.mayBeginWithDash || !value.hasPrefix("-") else {
                throw wrong(template, "has a default for \(name) that begins with -. Write options as arguments.")
            }
        }
    }

    private static func checkArguments(_ template: CommandTemplate) throws(AIServiceError) {
        let declared = Dictionary(template.placeholders.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var used: Set<String> = []
        for argument in template.arguments {
            var droppable = false
            for text in argument.pieces {
                for name in try CommandPiece(text).placeholders {
                    used.insert(name)
                    if isPrompt(name) { throw promptAsArgument(template) }
                    guard declared[name] != nil || name == ArgumentPlan.output else {
                        let hint = NearestNames(declared.keys.sorted()).hint(for: name)
                        throw wrong(
                            template,
                            "uses {\(name)} without declaring it.\(hint) Declare it as a placeholder: in programs.json "
                                + "under the program's key `parameters`.")
                    }
                    if let placeholder = declared[name], placeholder.default == nil { droppable = true }
                }
            }
            if case .optional = argument, !droppable {
                throw wrong(
                    template,
                    """
                    has an optional group that is never left out. Write its arguments without a group.
                    """)
            }
        }
        for placeholder in template.placeholders where !used.contains(placeholder.name) {
            throw wrong(template, "never uses its placeholder \(placeholder.name). Put it in an argument.")
        }
        switch template.output {
        case .standardOutput:
            guard !used.contains(ArgumentPlan.output) else {
                throw wrong(template, "uses {output} but answers on standard output. Choose a file as its output.")
            }
        case .file(let suffix):
            guard used.contains(ArgumentPlan.output) else {
                throw wrong(template, "answers in a file but never uses {output}. Put it in an argument.")
            }
            guard !suffix.isEmpty, suffix.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
                throw wrong(template, "has an unusable file extension. Give letters and digits, without a dot.")
            }
        }
    }

    private static func isPrompt(_ name: String) -> Bool { name.lowercased() == "prompt" }

    private static func promptAsArgument(_ template: CommandTemplate) -> AIServiceError {
        wrong(
            template,
            "passes the prompt as an argument, where every user of the machine can read it. "
                + "Remove {prompt}: the prompt is on standard input.")
    }

    private static func wrong(_ template: CommandTemplate, _ problem: String) -> AIServiceError {
        AIServiceError(.invalidConfiguration, "The command template \(template.id) \(problem)")
    }
}
#endif
