import Foundation
import HablareStores
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct ForwardingStoreTests {
    /// Changes nothing.
    private struct Wrapper: ForwardingStore {
        let base: any RequestStore
    }

    /// A store with something beside its rows.
    private struct Littered: ForwardingStore {
        let base: any RequestStore = InMemoryStore()
        func abandonedContent(before date: Date, removing: Bool) -> AbandonedContent {
            AbandonedContent(files: removing ? 1 : 2, bytes: 3)
        }
    }

    @Test("A store that passes everything on keeps the contract", arguments: StoreContract.rules)
    func keeps(_ rule: StoreContract.Rule) throws {
        try StoreContract { Wrapper(base: InMemoryStore()) }.check(rule)
    }

    @Test("The processes of a test keep the contract of shared stores", arguments: SharedStoreContract.rules)
    func keepsShared(_ rule: SharedStoreContract.Rule) throws {
        try SharedStoreContract {
            let machine = ProcessStore.Machine()
            return (ProcessStore(machine), ProcessStore(machine))
        }.check(rule)
    }

    @Test("What a store has a default for is passed on, too")
    func abandonedContent() throws {
        let store = Wrapper(base: Littered())
        #expect(try store.abandonedContent(before: StoreWorkbench.date(0), removing: false).files == 2)
        #expect(try store.abandonedContent(before: StoreWorkbench.date(0), removing: true).files == 1)
    }

    /// The compiler asks for what has no default. For what has one it would be satisfied, and the store below never
    /// asked.
    @Test("Nothing that a store is asked for is forgotten")
    func complete() throws {
        let seam = "Sources/Hablare/Store"
        let required = try ["RequestStore", "StoreReading"].flatMap {
            try requirements(of: $0, in: Repository.text(of: "\(seam)/\($0).swift"))
        }
        #expect(required.count > 15, "the protocols are not read as they are written")
        let forwarding = try Repository.text(of: "Sources/HablareTestKit/ForwardingStore.swift")
        for requirement in required {
            #expect(forwarding.contains("    package \(requirement) {"), "\(requirement) is not passed on")
        }
    }

    /// What a protocol asks for, each as it is written, on one line.
    private func requirements(of name: String, in source: String) throws -> [String] {
        let start = try #require(source.range(of: "public protocol \(name): "))
        let end = try #require(source.range(of: "\n}", range: start.upperBound..<source.endIndex))
        return source[start.upperBound..<end.lowerBound].split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces).replacing(" { get }", with: "")
        }.filter { $0.hasPrefix("func ") || $0.hasPrefix("var ") }
    }
}
