import Foundation
import Hablare

/// A store that rings an alarm when it cannot be written, notes what is done through it, and logs what is written.
/// Passes everything on, unchanged; but takes nothing for providers that are left alone.
struct AttendedStore: ForwardingStore {
    let base: any RequestStore
    let alarm: StoreAlarm
    var own = OwnWork()
    /// Told of what providers refuse; `nil` where nobody asks.
    var refusals: Refusals?
    /// For whom nothing more is taken; `nil` where all are asked in any case.
    var refusing: RefusingAccounts?
    /// The log of what is written; `nil` where nobody wants one.
    var log: StoreLog?

    private func ringing<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            alarm.ring(error)
            throw error
        }
    }

    func commit(_ writes: [StoreWrite]) throws -> [WriteReceipt] {
        var receipts: [WriteReceipt] = []
        own.commitBegins()
        defer { own.commitEnds(writes, receipts) }
        receipts = try ringing { try base.commit(writes) }
        log?.wrote(writes, receipts)
        refusals?.wrote(writes)
        refusing?.wrote(writes)
        return receipts
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        if refusing?.has(query.provider) == true { return Claim(flights: []) }
        let claim = try ringing { try base.claim(query) }
        log?.claimed(claim, by: query)
        return claim
    }

    var content: (any ContentStore)? { base.content.map { AttendedContent(content: $0, alarm: alarm) } }
}

/// Content files that ring an alarm when they cannot be written.
private struct AttendedContent: ContentStore {
    let content: any ContentStore
    let alarm: StoreAlarm

    func threshold(for type: ContentType) -> Int { content.threshold(for: type) }
    func read(_ reference: ContentReference) throws -> Data { try content.read(reference) }
    func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
        try content.read(reference, range: range)
    }
    func has(_ reference: ContentReference) -> Bool { content.has(reference) }
    func makeWriter() -> any ContentWriter { AttendedWriter(writer: content.makeWriter(), alarm: alarm) }
    func location(of reference: ContentReference) -> URL? { content.location(of: reference) }

    func put(_ data: Data) async throws -> ContentReference {
        do {
            return try await content.put(data)
        } catch {
            alarm.ring(error)
            throw error
        }
    }
}

/// A content file that rings an alarm when it cannot be written.
private struct AttendedWriter: ContentWriter {
    let writer: any ContentWriter
    let alarm: StoreAlarm

    private func ringing<R>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch {
            alarm.ring(error)
            throw error
        }
    }

    func write(_ piece: Data) async throws { try await ringing { try await writer.write(piece) } }
    func finish() async throws -> ContentReference { try await ringing { try await writer.finish() } }
    func abandon() async { await writer.abandon() }
}
