import Hablare
import HablareJSON

/// Validates a value against the rules of a schema. It counts its work, so that the validation takes bounded time for
/// every value and schema.
struct SchemaValidator {
    /// The default limit of the work, in elementary steps: rules checked, characters matched, and values compared. The
    /// limit is sufficient for all values of any usual answer. Work up to this limit takes about a second at most in an
    /// optimised build.
    static let effort = 5_000_000
    /// The maximum nesting depth of rules and values together.
    static let deepest = 256

    /// A violation whose text has not been created yet. The text is created only for violations that are reported. Most
    /// violations are only found during the search for a fitting alternative.
    struct Finding {
        let location: JSONPointer
        let wanted: String
    }

    let nodes: [SchemaNode]
    private var mostViolations: Int
    /// The number of elementary steps that are left.
    var effort: Int
    var depth = 0
    private var isTooDeep = false
    private var location = JSONPointer()
    private var found: [Finding] = []

    init(nodes: [SchemaNode], effort: Int = SchemaValidator.effort, mostViolations: Int) {
        self.nodes = nodes
        self.effort = effort
        self.mostViolations = mostViolations
    }

    /// Returns the violations of a value.
    mutating func findings(in value: ParameterValue) -> [Finding] {
        guard let value = value.normalized() else {
            violate("nested at most 64 levels deep, with finite numbers")
            return found
        }
        check(value, against: 0)
        if isGivenUp {
            location = JSONPointer()
            found = Array(found.prefix(mostViolations - 1))
            violate("smaller, because checking it takes too long")
        }
        return found
    }

    private mutating func violate(_ wanted: String) {
        effort -= 4
        found.append(Finding(location: location, wanted: wanted))
    }

    var isGivenUp: Bool { effort <= 0 || isTooDeep }
    private var isDone: Bool { found.count >= mostViolations || isGivenUp }

    private mutating func check(_ value: ParameterValue, against node: Int) {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            isTooDeep = true
            return
        }
        for rule in nodes[node].rules {
            effort -= 1
            guard !isDone else { return }
            if case .types(let types) = rule, types.isDisjoint(with: JSONTypes(value)) {
                violate(types.shown)
                return  // further violations would not help
            }
            check(value, by: rule)
        }
    }

    /// Returns the violations of a node's rules. Does not add them to the violations found so far.
    private mutating func findings(_ value: ParameterValue, against node: Int) -> [Finding] {
        let others = found
        found = []
        defer { found = others }
        check(value, against: node)
        return found
    }

    /// Returns whether a value satisfies the rules of a node.
    mutating func fits(_ value: ParameterValue, _ node: Int) -> Bool {
        let most = mostViolations
        mostViolations = 1
        defer { mostViolations = most }
        return findings(value, against: node).isEmpty
    }

    private mutating func check(_ value: ParameterValue, by rule: SchemaRule) {
        switch rule {
        case .never: violate("absent: no value is allowed here")
        case .types: break  // checked before
        case .values(let values, let shown):
            charge(value)
            if !values.contains(ExactValue(value)) { violate(shown) }
        case .minimum, .maximum, .multiple:
            if let number = JSONNumber(value) { check(number, by: rule) }
        case .length, .pattern, .format:
            if case .string(let text) = value { check(text, by: rule) }
        case .elementCount, .unique, .elements:
            if case .array(let values) = value { check(values, by: rule) }
        case .memberCount, .required, .members:
            if case .object(let members) = value { check(members, by: rule) }
        case .reference(let node): check(value, against: node)
        case .all(let nodes): for node in nodes { check(value, against: node) }
        case .any(let nodes): checkAny(value, nodes)
        case .exactlyOne(let nodes): checkOne(value, nodes)
        case .not(let node):
            if fits(value, node) { violate("a value that the schema does not exclude") }
        }
    }

    /// Counts the work of a comparison, which is proportional to the value's size.
    private mutating func charge(_ value: ParameterValue) {
        switch value {
        case .array, .object, .string: effort -= value.weight
        default: break
        }
    }

    // MARK: Numbers and texts

    private mutating func check(_ number: JSONNumber, by rule: SchemaRule) {
        switch rule {
        case .minimum(let least, let isExclusive):
            if number < least || isExclusive && number == least {
                violate("a number \(isExclusive ? "above" : "of at least") \(least.text)")
            }
        case .maximum(let most, let isExclusive):
            if most < number || isExclusive && number == most {
                violate("a number \(isExclusive ? "below" : "of at most") \(most.text)")
            }
        case .multiple(let step): if !number.isMultiple(of: step) { violate("a multiple of \(step.text)") }
        default: break
        }
    }

    private mutating func check(_ text: String, by rule: SchemaRule) {
        switch rule {
        case .length(let lengths):
            effort -= text.utf8.count / 16
            if !lengths.contains(text.unicodeScalars.count) { violate("a text of \(Self.shown(lengths)) characters") }
        case .pattern(let program, let shown):
            if !(program.occurs(in: text, effort: &effort) ?? true) {
                violate("a text that matches the pattern \(shown)")
            }
        case .format(let format):
            effort -= text.utf8.count / 16
            if !format.holds(for: text) { violate(format.shown) }
        default: break
        }
    }

    private static func shown(_ range: ClosedRange<Int>) -> String {
        if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
        if range.upperBound == .max { return "at least \(range.lowerBound)" }
        return range.lowerBound == 0 ? "at most \(range.upperBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    // MARK: Lists and objects

    private mutating func check(_ values: [ParameterValue], by rule: SchemaRule) {
        switch rule {
        case .elementCount(let counts):
            if !counts.contains(values.count) { violate("a list of \(Self.shown(counts)) elements") }
        case .unique:
            charge(.array(values))
            if Set(values.map(ExactValue.init)).count < values.count {
                violate("a list without duplicate elements")
            }
        case .elements(let first, let others):
            for (index, value) in values.enumerated() {
                guard !isDone else { return }
                guard let node = index < first.count ? first[index] : others else { return }
                check(value, against: node, at: .element(index))
            }
        default: break
        }
    }

    private mutating func check(_ members: [String: ParameterValue], by rule: SchemaRule) {
        switch rule {
        case .memberCount(let counts):
            if !counts.contains(members.count) { violate("an object of \(Self.shown(counts)) members") }
        case .required(let required):
            effort -= required.count
            for name in required where members.member(exactly: name) == nil {
                guard !isDone else { return }
                at(.member(name)) { $0.violate("present") }
            }
        case .members(let known, let others):
            effort -= known.count
            for (name, node) in known {
                guard !isDone else { return }
                if let value = members.member(exactly: name) { check(value, against: node, at: .member(name)) }
            }
            guard let others else { return }
            effort -= 4 * members.count  // the cost of sorting
            guard !isDone else { return }
            // Both lists are sorted by name.
            var remainder = known[...]
            for name in members.keys.sorted() {
                while let first = remainder.first, first.name < name { remainder.removeFirst() }
                if let first = remainder.first, first.name.isExactly(name) { continue }
                guard !isDone else { return }
                if let value = members[name] { check(value, against: others, at: .member(name)) }
            }
        default: break
        }
    }

    private mutating func check(_ value: ParameterValue, against node: Int, at step: JSONPointer.Step) {
        at(step) { $0.check(value, against: node) }
    }

    private mutating func at(_ step: JSONPointer.Step, _ body: (inout Self) -> Void) {
        effort -= 1
        location.push(step)
        body(&self)
        location.pop()
    }

    // MARK: Alternatives

    /// Checks a value against alternatives. If no alternative fits, reports the violations of the alternative with the
    /// fewest violations.
    private mutating func checkAny(_ value: ParameterValue, _ nodes: [Int]) {
        var nearest: [Finding]?
        for node in nodes {
            let violations = findings(value, against: node)
            guard !violations.isEmpty, !isGivenUp else { return }
            if violations.count < nearest?.count ?? .max { nearest = violations }
        }
        report(nearest ?? [], insteadOf: "a value that matches at least one of \(nodes.count) alternatives")
    }

    private mutating func checkOne(_ value: ParameterValue, _ nodes: [Int]) {
        var nearest: [Finding]?
        var fitting = 0
        for node in nodes {
            let violations = findings(value, against: node)
            guard !isGivenUp else { return }
            if violations.isEmpty { fitting += 1 }
            if violations.count < nearest?.count ?? .max { nearest = violations }
        }
        switch fitting {
        case 0: report(nearest ?? [], insteadOf: "a value that matches exactly one of \(nodes.count) alternatives")
        case 1: break
        default: violate("a value that matches only one alternative")
        }
    }

    private mutating func report(_ violations: [Finding], insteadOf summary: String) {
        violate(summary)
        for violation in violations where !isDone { found.append(violation) }
    }
}
