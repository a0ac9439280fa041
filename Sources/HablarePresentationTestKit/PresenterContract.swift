import Hablare
public import HablarePresentation
import HablareTestKit

/// The rules for every presenter. Each rule is checked with a new presenter and a new view. You can check the rules
/// with any test framework.
///
/// ```swift
/// @MainActor @Test(arguments: PresenterContract.rules) func keeps(_ rule: PresenterContract.Rule) throws {
///     try PresenterContract { view, map in MyPresenter(WeakProxy(view), map: map) }.check(rule)
/// }
/// ```
///
/// If a rule is broken, ``check(_:)`` throws a `ContractViolation` that names the rule and the problem.
@MainActor
public struct PresenterContract {
    /// A closure that creates a presenter of numbers for a view. The closure receives the view, and a function that
    /// maps a number to a view model or throws an error. The presenter must not keep the view alive.
    public typealias MakePresenter =
        @MainActor (ViewRecorder, @escaping @MainActor (Int) throws -> String) -> any ResourcePresenting<Int>

    /// A rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let body: @MainActor @Sendable (MakePresenter) throws -> Void

        init(_ name: String, _ body: @escaping @MainActor @Sendable (MakePresenter) throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let makePresenter: MakePresenter

    /// Creates the contract for a presenter.
    ///
    /// - Parameter makePresenter: A closure that creates the presenter under test. It is called at least once for each
    ///   rule.
    public init(makePresenter: @escaping MakePresenter) {
        self.makePresenter = makePresenter
    }

    /// Checks a presenter against a rule.
    ///
    /// - Throws: `ContractViolation` if the rule is broken.
    public func check(_ rule: Rule) throws { try rule.body(makePresenter) }

    /// All rules.
    public nonisolated static let rules: [Rule] = order + failures + lives

    nonisolated static let order: [Rule] = [
        Rule("A load that begins shows no error, then loading") { make in
            let view = ViewRecorder()
            make(view, text).didStartLoading()
            try require("what is displayed", view.events, is: [.error(nil), .loading(true)])
        },
        Rule("A resource is shown as it was mapped, then not loading") { make in
            let view = ViewRecorder()
            make(view, text).didFinishLoading(with: 7)
            try require("what is displayed", view.events, is: [.resource("number 7"), .loading(false)])
        },
        Rule("A failure shows its message, then not loading, and leaves the resource view alone") { make in
            let view = ViewRecorder()
            make(view, text).didFailLoading(with: AIServiceError(.connectionFailed, "Look after the cable."))
            try require("what is displayed", view.events, is: [.error("Look after the cable."), .loading(false)])
        },
        Rule("A cancellation shows nothing but not loading") { make in
            let view = ViewRecorder()
            let presenter = make(view, text)
            presenter.didCancelLoading()
            try require("what is displayed", view.events, is: [.loading(false)])
            presenter.didFailLoading(with: CancellationError())
            try require(
                "what is displayed of the error of a cancellation", view.events, is: [.loading(false), .loading(false)])
        },
    ]

    nonisolated static let failures: [Rule] = [
        Rule("A resource that cannot be mapped is a failure, and leaves the resource view alone") { make in
            let view = ViewRecorder()
            let presenter = make(view) { _ in throw AIServiceError(.invalidResponse, "That is no number.") }
            presenter.didFinishLoading(with: 7)
            try require("what is displayed", view.events, is: [.error("That is no number."), .loading(false)])
        },
        Rule("An error's insides are not shown") { make in
            let view = ViewRecorder()
            make(view, text).didFailLoading(with: InternalError())
            guard case .error(let message?) = view.events.first else {
                throw ContractViolation(message: "no message is displayed, but \(view.events)", location: #fileID)
            }
            try require("\"\(message)\" tells what only the program knows", !message.contains("quokka"))
        },
    ]

    nonisolated static let lives: [Rule] = [
        Rule("A view is not kept alive, and what comes when it is gone harms nobody") { make in
            let (presenter, view) = presenterWhoseViewIsGone(make)
            try require("the view is kept alive", view.object == nil)
            presenter.didStartLoading()
            presenter.didFinishLoading(with: 1)
            presenter.didFailLoading(with: InternalError())
            presenter.didCancelLoading()
        },
        Rule("A presenter goes with whoever held it, and so does what its mapper holds") { make in
            let view = ViewRecorder()
            try require("the mapper is kept alive", mapperOfReleasedPresenter(make, view).object == nil)
        },
    ]

    private static func text(of number: Int) -> String { "number \(number)" }
    private static let text: @MainActor (Int) throws -> String = { text(of: $0) }

    private static func presenterWhoseViewIsGone(
        _ make: MakePresenter
    ) -> (any ResourcePresenting<Int>, WeakReference<ViewRecorder>) {
        let view = ViewRecorder()
        return (make(view, text), WeakReference(view))
    }

    private static func mapperOfReleasedPresenter(_ make: MakePresenter, _ view: ViewRecorder) -> WeakReference<
        Sentinel
    > {
        let sentinel = Sentinel()
        make(view) { number in
            withExtendedLifetime(sentinel) { text(of: number) }
        }.didFinishLoading(with: 1)
        return WeakReference(sentinel)
    }
}

/// An error whose description must not be shown to users.
struct InternalError: Error, CustomStringConvertible {
    var description: String { "quokka at 0x7fffdeadbeef" }
}
