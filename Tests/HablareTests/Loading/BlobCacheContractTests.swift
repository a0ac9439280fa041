import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// Every blob cache under the contract, and the contract under caches that break it.
@Suite struct BlobCacheContractTests {
    /// The caches that ship.
    enum Conformer: String, CaseIterable, Sendable {
        case memory, files, syncedFiles

        func withCache<R>(_ body: (any BlobCache) async throws -> R) async throws -> R {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blobs-\(UUID().uuidString)")
            defer {
                do {
                    if self != .memory { try FileManager.default.removeItem(at: folder) }
                } catch {
                    Issue.record(error)
                }
            }
            switch self {
            case .memory: return try await body(InMemoryBlobCache())
            case .files: return try await body(FileBlobCache(directory: folder))
            case .syncedFiles: return try await body(FileBlobCache(directory: folder, syncs: true))
            }
        }
    }

    @Test("Every blob cache keeps the contract", arguments: Conformer.allCases, BlobCacheContract.allCases)
    func kept(by conformer: Conformer, rule: BlobCacheContract) async throws {
        let faults = try await conformer.withCache { try await rule.faults(of: $0) }
        #expect(faults == [])
    }

    /// A cache with a fault.
    struct Broken: BlobCache, CustomTestStringConvertible {
        enum Fault: CaseIterable, Sendable {
            case storesNothing, storesNoEmptiness, keepsTheFirst, foldsCase, removesNothing, keepsOnClearing, cutsLarge
        }

        let fault: Fault
        private let base = InMemoryBlobCache()

        init(_ fault: Fault) { self.fault = fault }

        var testDescription: String { "\(fault)" }

        private func name(_ key: String) -> String { fault == .foldsCase ? key.lowercased() : key }

        func blob(for key: String) -> Data? { base.blob(for: name(key)) }

        func store(_ blob: Data, for key: String) {
            switch fault {
            case .storesNothing: return
            case .storesNoEmptiness where blob.isEmpty: return
            case .keepsTheFirst where base.blob(for: key) != nil: return
            case .cutsLarge: base.store(blob.prefix(100_000), for: key)
            default: base.store(blob, for: name(key))
            }
        }

        func remove(_ key: String) {
            if fault != .removesNothing { base.remove(name(key)) }
        }

        func removeAll() {
            if fault != .keepsOnClearing { base.removeAll() }
        }
    }

    @Test(
        "A faulty cache breaks the rule about its fault",
        arguments: [
            (Broken.Fault.storesNothing, BlobCacheContract.storedIsFound),
            (.storesNoEmptiness, .emptyIsSomething),
            (.keepsTheFirst, .lastOneCounts),
            (.foldsCase, .keysAreApart),
            (.removesNothing, .removedIsGone),
            (.keepsOnClearing, .everythingGoes),
            (.cutsLarge, .largeIsWhole),
            (.keepsTheFirst, .historiesAgree),
        ])
    func broken(by fault: Broken.Fault, rule: BlobCacheContract) async throws {
        let faults = try await rule.faults(of: Broken(fault))
        #expect(faults != [])
    }

    @Test("Two caches on one folder, as in two processes, keep the contract together")
    func twoProcesses() async throws {
        /// Writes by one cache and reads by the other.
        struct Both: BlobCache {
            let writer: FileBlobCache
            let reader: FileBlobCache

            func blob(for key: String) throws -> Data? { try reader.blob(for: key) }
            func store(_ blob: Data, for key: String) throws { try writer.store(blob, for: key) }
            func remove(_ key: String) throws { try reader.remove(key) }
            func removeAll() throws { try reader.removeAll() }
        }

        for rule in BlobCacheContract.allCases {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blobs-\(UUID().uuidString)")
            let both = Both(
                writer: try FileBlobCache(directory: folder), reader: try FileBlobCache(directory: folder))
            let faults = try await rule.faults(of: both)
            #expect(faults == [], "\(rule)")
            try FileManager.default.removeItem(at: folder)
        }
    }

    @Test("InMemoryBlobCache evicts the least recently used blobs")
    func bound() {
        let cache = InMemoryBlobCache(maximumBytes: 10)
        for key in ["a", "b"] { cache.store(Data(count: 5), for: key) }
        _ = cache.blob(for: "a")
        cache.store(Data(count: 1), for: "c")
        #expect(cache.blob(for: "b") == nil)
        #expect(cache.count == 2)
        cache.store(Data(count: 11), for: "a")
        #expect(cache.blob(for: "a") == nil, "neither the old bytes nor those for which there is no room")
    }
}
