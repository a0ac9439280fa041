import Foundation
import Hablare
import HablarePresentation
import HablarePresentationTestKit
import HablareSupport

/// A loader with one fault, to test that the contract detects it. It is independent of `FallbackLoader`, to show that
/// another implementation can keep the contract, too.
struct FaultyFallbackLoader: FallbackLoads {
    enum Fault: CaseIterable {
        case none
        case asksOnce, asksStoreFirst, doesNotSave, savesWithoutDate, saveFailureFails, saveFailureIsSilent
        case remoteFailureIsSilent, forgetsWhy, deliversExpired, deletesExpired, takesExpiredForEmpty,
            takesEmptyForFailure
        case takesFailureForEmpty, storeHidesRemoteError, localFailureIsSilent
        case fallsBackWhenCancelled, takesCancellationForFailure, savesForCancelledTask
    }

    private let fault: Fault
    private let parts: FallbackLoaderContract.Parts
    private let first = Locked<String?>(nil)

    init(_ fault: Fault, _ parts: FallbackLoaderContract.Parts) {
        self.fault = fault
        self.parts = parts
    }

    @concurrent func load() async throws -> FallbackOutcome<String> {
        if fault == .asksOnce, let first = first.withLock({ $0 }) { return .remote(first) }
        if fault == .asksStoreFirst, let kept = try parts.store.retrieve() { return .remote(kept.resource) }
        let result: Result<String, any Error>
        do { result = .success(try await parts.remote()) } catch { result = .failure(error) }
        switch result {
        case .success(let text): return try delivered(text)
        case .failure(let error): return try saved(because: error)
        }
    }

    private func delivered(_ text: String) throws -> FallbackOutcome<String> {
        if fault != .savesForCancelledTask { try Task.checkCancellation() }
        first.withLock { $0 = text }
        do {
            if fault != .doesNotSave {
                try parts.store.replace(
                    with: CachedResource(text, savedAt: fault == .savesWithoutDate ? .distantPast : parts.date()))
            }
        } catch {
            if fault == .saveFailureFails { throw error }
            if fault != .saveFailureIsSilent { parts.observe(.saveFailed(error)) }
        }
        return .remote(text)
    }

    private func saved(because error: any Error) throws -> FallbackOutcome<String> {
        if fault != .fallsBackWhenCancelled { try Task.checkCancellation() }
        if error is CancellationError, fault != .takesCancellationForFailure { throw error }
        if fault != .remoteFailureIsSilent { parts.observe(.remoteFailed(error)) }
        let why: any Error = fault == .forgetsWhy ? AIServiceError(.providerFailed, "Who knows.") : error
        do {
            guard let kept = try parts.store.retrieve() else {
                if fault == .takesEmptyForFailure { throw AIServiceError(.storageFailed, "Nothing is there.") }
                return .empty(remoteError: why)
            }
            // No clock changes in the weeks of the contract.
            if parts.date() < kept.savedAt + 7 * 86_400 || fault == .deliversExpired {
                return .local(kept, remoteError: why)
            }
            if fault == .deletesExpired { try parts.store.delete { _ in true } }
            return fault == .takesExpiredForEmpty
                ? .empty(remoteError: why) : .expired(savedAt: kept.savedAt, remoteError: why)
        } catch let failure {
            if fault == .takesFailureForEmpty { return .empty(remoteError: why) }
            if fault != .localFailureIsSilent { parts.observe(.localFailed(failure)) }
            throw FallbackError(remote: fault == .storeHidesRemoteError ? failure : error, local: failure)
        }
    }
}
