import Foundation
import Hablare
import HablarePresentation
import HablarePresentationTestKit

/// A loader with one fault, to test that the contract detects it. It is independent of `PresentationAdapter`, to show
/// that another implementation can keep the contract, too.
@MainActor
final class FaultyLoader: LoadDriver {
    enum Fault: CaseIterable {
        case none
        case forgetsToStopLoading, forgetsToClearError, loadsOnMainThread, showsOwnCancellation
        case neverIgnores, showsOlderResult, olderEndsLoading, doesNotCancelOlder, stopsLoadingBehindReaction
        case forgetsCancelOfReaction
        case showsCancelled, doesNotCancel, blocksAfterCancellation, tellsIdleCancellation
        case keepsItself, keepsView
    }

    private let fault: Fault
    private let policy: LoadPolicy
    private let operation: @Sendable () async throws -> String
    private let presenter: ResourcePresenter<String, WeakProxy<ViewRecorder>>
    private let keptView: ViewRecorder?
    private var itself: FaultyLoader?
    private var current = 0
    private var isLoading = false
    private var tasks: [Task<Void, Never>] = []
    /// The view's requests during a message, in order.
    private var pendingCommands: [() -> Void] = []
    private var loadsHere = 0
    private var isTelling = false
    private let spawner = TaskSpawner(executor: nil)

    init(
        _ fault: Fault, _ view: ViewRecorder, _ policy: LoadPolicy,
        _ operation: @escaping @Sendable () async throws -> String
    ) {
        self.fault = fault
        self.policy = policy
        self.operation = operation
        presenter = ResourcePresenter(view: WeakProxy(view))
        keptView = fault == .keepsView ? view : nil
        if fault == .keepsItself { itself = self }
    }

    deinit { for task in tasks { task.cancel() } }

    func load() {
        if isTelling, fault != .stopsLoadingBehindReaction {
            if fault == .forgetsCancelOfReaction { pendingCommands = [] }
            return pendingCommands.append { [unowned self] in load() }
        }
        if isLoading {
            if policy == .ignoreWhileLoading, fault != .neverIgnores { return }
            if fault != .doesNotCancelOlder { tasks.last?.cancel() }
        }
        if fault == .blocksAfterCancellation, let task = tasks.last, task.isCancelled { return }
        current += 1
        isLoading = true
        let (number, fault, operation) = (current, fault, operation)
        tasks.append(
            spawner.start { [weak self] in
                do {
                    let text =
                        fault == .loadsOnMainThread ? try await self?.loadHere() ?? "" : try await operation()
                    await self?.ended(number, .success(text))
                } catch {
                    await self?.ended(number, .failure(error))
                }
            })
        tell {
            if fault == .forgetsToClearError {
                $0.didFailLoading(with: AIServiceError(.connectionFailed, "Still the same."))
            } else {
                $0.didStartLoading()
            }
        }
    }

    func cancel() {
        if isTelling { return pendingCommands.append { [unowned self] in cancel() } }
        guard isLoading || fault == .tellsIdleCancellation else { return }
        if fault != .doesNotCancel { tasks.last?.cancel() }
        isLoading = false
        if fault != .showsCancelled { current += 1 }
        tell { $0.didCancelLoading() }
    }

    func settled() async {
        var count = -1
        while count != tasks.count {
            count = tasks.count
            for task in tasks { await task.value }
        }
    }

    /// Loads on the main actor. The work before the call keeps it there, because Swift 6.3 drops the hop of a function
    /// that only calls.
    private func loadHere() async throws -> String {
        loadsHere += 1
        return try await operation()
    }

    private func ended(_ number: Int, _ result: Result<String, any Error>) {
        let isCurrent = number == current
        if !isCurrent {
            if fault == .olderEndsLoading { tell { $0.didCancelLoading() } }
            guard fault == .showsOlderResult else { return }
        }
        isLoading = false
        tell { presenter in
            switch result {
            case .success(let text): presenter.didFinishLoading(with: text)
            case .failure(is CancellationError) where fault == .showsOwnCancellation:
                presenter.didFailLoading(with: AIServiceError(.cancelled, "It was cancelled."))
            case .failure(let error) where fault == .forgetsToStopLoading && !(error is CancellationError): break
            case .failure(let error): presenter.didFailLoading(with: error)
            }
        }
    }

    private func tell(_ message: (ResourcePresenter<String, WeakProxy<ViewRecorder>>) -> Void) {
        isTelling = true
        message(presenter)
        isTelling = false
        while !pendingCommands.isEmpty { pendingCommands.removeFirst()() }
    }
}
