import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// The contract of every blob cache, wherever it keeps blobs. Each rule takes an empty cache and returns its faults.
enum BlobCacheContract: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case storedIsFound
    case emptyIsSomething
    case lastOneCounts
    case keysAreApart
    case removedIsGone
    case everythingGoes
    case largeIsWhole
    case sideBySide
    case historiesAgree

    var testDescription: String { rawValue }

    /// Returns the faults of a cache under this rule.
    func faults(of cache: any BlobCache) async throws -> [String] {
        switch self {
        case .storedIsFound: try storedIsFound(cache)
        case .emptyIsSomething: try emptyIsSomething(cache)
        case .lastOneCounts: try lastOneCounts(cache)
        case .keysAreApart: try keysAreApart(cache)
        case .removedIsGone: try removedIsGone(cache)
        case .everythingGoes: try everythingGoes(cache)
        case .largeIsWhole: try largeIsWhole(cache)
        case .sideBySide: try await sideBySide(cache)
        case .historiesAgree: try historiesAgree(cache)
        }
    }

    private func storedIsFound(_ cache: any BlobCache) throws -> [String] {
        var faults: [String] = []
        if try cache.blob(for: "a") != nil { faults.append("an empty cache has something") }
        try cache.store(Data("1".utf8), for: "a")
        for _ in 0..<2 where try cache.blob(for: "a") != Data("1".utf8) { faults.append("it is not found") }
        return faults
    }

    private func emptyIsSomething(_ cache: any BlobCache) throws -> [String] {
        try cache.store(Data(), for: "a")
        return try cache.blob(for: "a") == Data() ? [] : ["no bytes are not found"]
    }

    private func lastOneCounts(_ cache: any BlobCache) throws -> [String] {
        try cache.store(Data(repeating: 1, count: 1_000), for: "a")
        try cache.store(Data("2".utf8), for: "a")
        return try cache.blob(for: "a") == Data("2".utf8) ? [] : ["the later bytes did not replace the earlier ones"]
    }

    private func keysAreApart(_ cache: any BlobCache) throws -> [String] {
        let keys = [
            "", " ", "a", "A", "a/b", "../a", "a\u{0}b", "\n", "%2F", "é", "日本語", String(repeating: "k", count: 5_000),
            "https://example.org/?q=1&x=\"y\"",
        ]
        for (number, key) in keys.enumerated() { try cache.store(Data("\(number)".utf8), for: key) }
        return try keys.enumerated().compactMap { number, key in
            try cache.blob(for: key) == Data("\(number)".utf8) ? nil : "key \(number) has another one's bytes, or none"
        }
    }

    private func removedIsGone(_ cache: any BlobCache) throws -> [String] {
        try cache.remove("never there")
        for key in ["a", "b"] { try cache.store(Data(key.utf8), for: key) }
        try cache.remove("a")
        var faults: [String] = []
        if try cache.blob(for: "a") != nil { faults.append("what was removed is there") }
        if try cache.blob(for: "b") == nil { faults.append("what was not removed is gone") }
        return faults
    }

    private func everythingGoes(_ cache: any BlobCache) throws -> [String] {
        try cache.removeAll()
        for number in 0..<20 { try cache.store(Data("x".utf8), for: "\(number)") }
        try cache.removeAll()
        let left = try (0..<20).filter { try cache.blob(for: "\($0)") != nil }
        try cache.store(Data("y".utf8), for: "a")
        let isUsable = try cache.blob(for: "a") == Data("y".utf8)
        return left.map { "\($0) is still there" } + (isUsable ? [] : ["nothing can be stored any more"])
    }

    private func largeIsWhole(_ cache: any BlobCache) throws -> [String] {
        var random = SeededGenerator(seed: 1)
        let blob = Data((0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        try cache.store(blob, for: "a")
        return try cache.blob(for: "a") == blob ? [] : ["a million bytes did not come back as they were"]
    }

    /// Writes and reads two keys concurrently: each reader finds a blob that one writer wrote, complete, or nothing.
    private func sideBySide(_ cache: any BlobCache) async throws -> [String] {
        try await withThrowingTaskGroup(of: [String].self) { group in
            for writer in 0..<8 {
                group.addTask {
                    var faults: [String] = []
                    for round in 0..<25 {
                        let key = round.isMultiple(of: 2) ? "even" : "odd"
                        // All bytes are alike, and each is the number that determines their count and writer.
                        let mark = UInt8(writer * 25 + round)
                        try cache.store(Data(repeating: mark, count: 1 + Int(mark) * 50), for: key)
                        if writer == 0, round.isMultiple(of: 5) { try cache.remove(key) }
                        guard let found = try cache.blob(for: key) else { continue }
                        let isWhole = found.first.map { found == Data(repeating: $0, count: 1 + Int($0) * 50) } ?? false
                        if !isWhole { faults.append("\(found.count) bytes of different writers") }
                    }
                    return faults
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func historiesAgree(_ cache: any BlobCache) throws -> [String] {
        var faults: [String] = []
        for seed in Seeds.choose(5) {
            var random = SeededGenerator(seed: seed)
            var model: [String: Data] = [:]
            try cache.removeAll()
            for step in 0..<200 {
                let key = "\(Int.random(in: 0..<6, using: &random))"
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    let blob = Data("\(seed).\(step)".utf8)
                    try cache.store(blob, for: key)
                    model[key] = blob
                case 4:
                    try cache.remove(key)
                    model[key] = nil
                case 5 where step.isMultiple(of: 7):
                    try cache.removeAll()
                    model = [:]
                default:
                    if try cache.blob(for: key) != model[key] { faults.append("HABLARE_SEED=\(seed), step \(step)") }
                }
            }
        }
        return faults
    }
}
