import Foundation
import HablarePresentation
import HablarePresentationTestKit

/// A loader of a text, fresh for seven days, with one fault, to test that the contract detects it.
struct FaultyLocalLoader: LocalLoads {
    enum Fault: CaseIterable {
        case none
        case readsClockOnce, expiresEarly, expiresLate, countsSeconds, deletesOnLoad, takesFailureForEmpty
        case validateDeletesAll, validateDeletesNothing, validateHidesFailure
        case savesInTwoSteps, savesWithoutDate, saveHidesFailure
    }

    private let fault: Fault
    private let store: ScriptedResourceStore
    private let calendar: Calendar
    private let date: @Sendable () -> Date

    init(_ fault: Fault, _ store: ScriptedResourceStore, _ calendar: Calendar, _ date: @escaping @Sendable () -> Date) {
        self.fault = fault
        self.store = store
        self.calendar = calendar
        let first = date()
        self.date = { fault == .readsClockOnce ? first : date() }
    }

    private func isFresh(_ savedAt: Date) -> Bool {
        let days = fault == .expiresEarly ? 6 : 7
        guard let end = calendar.date(byAdding: .day, value: days, to: savedAt) else { return false }
        if fault == .countsSeconds { return date() < savedAt + 7 * 86_400 }
        return fault == .expiresLate ? date() <= end : date() < end
    }

    func load() async throws -> LocalResource<String> {
        do {
            guard let cached = try store.retrieve() else { return .empty }
            if isFresh(cached.savedAt) { return .found(cached) }
            if fault == .deletesOnLoad { try store.delete { _ in true } }
            return .expired(savedAt: cached.savedAt)
        } catch {
            if fault == .takesFailureForEmpty { return .empty }
            throw error
        }
    }

    func save(_ resource: String) async throws {
        do {
            if fault == .savesInTwoSteps { try store.delete { _ in true } }
            try store.replace(
                with: CachedResource(resource, savedAt: fault == .savesWithoutDate ? .distantPast : date()))
        } catch {
            if fault != .saveHidesFailure { throw error }
        }
    }

    func validate() async throws -> Bool {
        do {
            if fault == .validateDeletesNothing { return false }
            return try store.delete { fault == .validateDeletesAll || !isFresh($0) }
        } catch {
            if fault == .validateHidesFailure { return false }
            throw error
        }
    }
}
