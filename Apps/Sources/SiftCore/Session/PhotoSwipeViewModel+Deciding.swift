public import Foundation
import Hablare
import HablareLoading

extension PhotoSwipeViewModel {
    /// Decides about the current photo, and shows the next one when the decision is on disk. Does nothing if there is
    /// no photo, or while another decision is being recorded.
    ///
    /// - Parameters:
    ///   - kind: The kind of the decision.
    ///   - command: The id of the person's command, which becomes the decision's id. The same id twice is one decision.
    ///     Default: a new one.
    public func decide(_ kind: PhotoAction.Kind, _ command: UUID? = nil) async {
        guard let currentPhoto else { return }
        await decide(DecisionRequest(id: command ?? makeID(), currentPhoto, kind: kind))
    }

    /// Rates the current photo, which stays. -1 rejects it, nil removes the rating.
    public func rate(_ stars: Int?) async {
        guard let currentPhoto else { return }
        await decide(DecisionRequest(id: makeID(), currentPhoto, kind: .rating, rating: stars))
    }

    /// Labels the current photo, which stays. Nil removes the label.
    public func label(_ label: String?) async {
        guard let currentPhoto else { return }
        await decide(DecisionRequest(id: makeID(), currentPhoto, kind: .label, label: label))
    }

    /// Records a decision that a page has made about a photo that it shows.
    ///
    /// - Returns: Whether the decision is on disk. If not, ``error`` says why.
    @discardableResult
    public func decide(_ request: DecisionRequest) async -> Bool {
        guard !isDeciding else { return false }
        isDeciding = true
        defer { isDeciding = false }
        var isRecorded = false
        await attempt { [self] in
            let decision: Decision
            do {
                decision = try await processor.decide(request, session: session)
            } catch let error as PhotoProcessingError
                where [.photoGone, .photoChanged, .alreadyDecided].contains(error.code)
            {
                await leave(request.photo)
                throw error
            }
            isRecorded = true
            guard isNew(decision) else { return }
            if request.kind.settlesPhoto {
                if request.shownDecision == nil { counted.settled(at: clock.now) }
                pacedProgress.send(counted)
                await leave(request.photo)
            } else if currentPhoto?.id == request.photo {
                currentPhoto = try await photo(request.photo)
            }
            countStep()
        }
        return isRecorded
    }

    /// A new step was recorded. It ends what could be redone.
    private func countStep() {
        undoCount = min(undoCount + 1, DecisionStore.mostCounted)
        if redoCount != 0 { redoCount = 0 }
    }

    /// Returns whether this model sees a decision for the first time. Decisions are numbered in their order, and a
    /// command that is repeated gets the decision that it made before.
    private func isNew(_ decision: Decision) -> Bool {
        guard decision.number > newestDecision else { return false }
        newestDecision = decision.number
        return true
    }

    /// Decides about several photos in one step, for example about a burst: the first request's photo is kept and the
    /// others go to the trash. One undo takes all of it back.
    ///
    /// - Returns: Whether the decisions are on disk. If not, none is, and ``error`` says why.
    @discardableResult
    public func decide(_ requests: [DecisionRequest]) async -> Bool {
        guard !isDeciding, !requests.isEmpty else { return false }
        isDeciding = true
        defer { isDeciding = false }
        var isRecorded = false
        await attempt { [self] in
            let recorded = try await processor.decide(requests, session: session)
            isRecorded = true
            guard recorded.allSatisfy(isNew) else { return }
            for request in requests where request.kind.settlesPhoto {
                if request.shownDecision == nil { counted.settled(at: clock.now) }
                await leave(request.photo)
            }
            pacedProgress.send(counted)
            countStep()
        }
        return isRecorded
    }

    /// Undoes the last step, and shows its photo again.
    ///
    /// - Parameter command: The id of the person's command. The same id twice undoes one step. Default: a new one.
    /// - Returns: Whether the step is undone, and that is on disk. If not, ``error`` says why.
    @discardableResult
    public func undo(_ command: UUID? = nil) async -> Bool {
        let command = command ?? makeID()
        return await attempt { [self] in
            // The last one first, so that the first photo of the step is shown in the end.
            for decision in try await processor.undo(of: library, command: command) {
                if decision.action.kind.settlesPhoto {
                    if decision.action.settledBefore == nil { counted.unsettled() }
                    if let back = try await photo(decision.action.photo) { goBack(to: back) }
                } else if currentPhoto?.id == decision.action.photo {
                    currentPhoto = try await photo(decision.action.photo)
                }
            }
            pacedProgress.send(counted)
            try await readDepths()
        }
    }

    /// Redoes the step that was undone last.
    ///
    /// - Parameter command: The id of the person's command. The same id twice redoes one step. Default: a new one.
    /// - Returns: Whether the step stands again, and that is on disk. If not, ``error`` says why.
    @discardableResult
    public func redo(_ command: UUID? = nil) async -> Bool {
        let command = command ?? makeID()
        return await attempt { [self] in
            for decision in try await processor.redo(of: library, command: command) {
                if decision.action.kind.settlesPhoto {
                    if decision.action.settledBefore == nil { counted.settled(at: clock.now) }
                    await leave(decision.action.photo)
                } else if currentPhoto?.id == decision.action.photo {
                    currentPhoto = try await photo(decision.action.photo)
                }
            }
            pacedProgress.send(counted)
            try await readDepths()
        }
    }
}
