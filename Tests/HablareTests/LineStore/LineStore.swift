import Foundation
import HablareSupport
import HablareTestKit

@testable import Hablare
@testable import HablareStores

/// A store in a file of JSON lines, which shows what a store beside SQLite and memory needs.
///
/// Each line holds the edits of one commit. Opening a file applies them in order, and from then on rows are read from
/// memory. The store contains no rule of the engine.
final class LineStore: ForwardingStore {
    private let memory = InMemoryStore()
    private let file: FileHandle
    private let full = Locked(false)

    /// Whether the store refuses all writes.
    var isFull: Bool {
        get { full.withLock { $0 } }
        set { full.withLock { $0 = newValue } }
    }

    var base: any RequestStore { memory }

    /// Opens a file, or creates it.
    ///
    /// - Throws: `DecodingError` for a line that cannot be read.
    init(_ url: URL) throws {
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        file = try FileHandle(forUpdating: url)
        // A line without an end is a commit that was cut off and did not happen.
        var lines = try file.readToEnd() ?? Data()
        lines = lines.prefix(through: (lines.lastIndex(of: UInt8(ascii: "\n")) ?? lines.startIndex - 1))
        try file.truncate(atOffset: UInt64(lines.count))
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            let edits = try Self.decoder.decode([RowEdit].self, from: line)
            memory.withRows { rows in for edit in edits { edit.make(in: &rows) } }
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        // Vectors and dates may not be finite.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit { try transact { $0.commit(writes) } }

    func claim(_ query: ClaimQuery) throws -> Claim { try transact { $0.claim(query) } }

    /// Runs the machine, and writes its edits before anyone can read them.
    private func transact<R: Sendable>(_ body: (inout StoreMachine<LineRows>) throws -> R) throws -> R {
        try memory.withRows { rows in
            var machine = StoreMachine(LineRows(rows))
            let result = try body(&machine)
            if !machine.rows.edits.isEmpty {
                var line = try Self.encoder.encode(machine.rows.edits)
                line.append(UInt8(ascii: "\n"))
                try append(line)
            }
            rows = machine.rows.memory
            return result
        }
    }
}

extension LineStore {
    /// Appends a line completely, or not at all.
    private func append(_ line: Data) throws {
        let end = try file.seekToEnd()
        do {
            if isFull {
                try file.write(contentsOf: line.prefix(line.count / 2))
                throw AIServiceError(.storageFull, "The disk is full. Free some space.")
            }
            try file.write(contentsOf: line)
            try file.synchronize()
        } catch {
            try file.truncate(atOffset: end)
            throw error
        }
    }
}

extension ChunkGroup {
    /// The chunks, one by one.
    var chunks: [Data] {
        var rest = bytes
        return sizes.map { size in
            defer { rest = rest.dropFirst(size) }
            return Data(rest.prefix(size))
        }
    }
}

/// A change of a row, as stored in a line of the file.
enum RowEdit: Codable {
    case register(OwnerRegistration)
    case renew(OwnerID, Date)
    case deregister(OwnerID)
    case account(AccountID, AccountBudget)
    case provider(ProviderID, AccountID)
    case newRequest(RequestRow, SubmissionLabels)
    case request(RequestRow)
    case deletion(RequestRow)
    case newFlight(FlightRow, SubmissionLabels)
    case copiedFlight(FlightRow, FlightID)
    case flight(FlightID, FlightRow)
    case handle(FlightID, Data?)
    case erasure(FlightID)
    case chunks(FlightID, token: Int64, generation: Int, first: Int, [Data])
    case completedOutput(FlightID, generation: Int)
    case response(FlightID, AIResponseData)
    case eviction(FlightID)
    case attempt(FlightID, AttemptRecord)
    case tags(FlightID, [String])
    case budget(BudgetPeriod, BudgetAccount)
    case reservations(FlightID, attempt: Int, [Reservation])

    /// Applies the change.
    func make(in rows: inout MemoryRows) {
        switch self {
        case .register(let owner): _ = rows.register(owner)
        case .renew(let owner, let date): _ = rows.renew(owner, until: date)
        case .deregister(let owner): rows.deregister(owner)
        case .account(let account, let budget): rows.write(budget, of: account)
        case .provider(let provider, let account): rows.note(account, of: provider)
        case .newRequest(let row, let labels): rows.insert(row, of: labels.submission)
        case .request(let row): rows.write(row)
        case .deletion(let row): rows.delete(row)
        case .newFlight(let row, let labels): _ = rows.insert(row, of: labels.submission)
        case .copiedFlight(let row, let original): _ = rows.insert(row, copying: original)
        case .flight(let id, let row): rows.write(row, of: id)
        case .handle(let id, let handle): rows.write(handle: handle, of: id)
        case .erasure(let id): rows.erase(id)
        case .chunks(let id, let token, let generation, let first, let chunks):
            rows.append(ChunkGroup(flight: id, token: token, generation: generation, first: first, chunks: chunks))
        case .completedOutput(let id, let generation): rows.outputCompleted(of: id, generation: generation)
        case .response(let id, let response): rows.write(response, of: id)
        case .eviction(let id): rows.evictResponse(of: id)
        case .attempt(let id, let attempt): rows.write(attempt, of: id)
        case .tags(let id, let tags): rows.charge(tags, for: id)
        case .budget(let period, let account): rows.write(account, of: period)
        case .reservations(let id, let attempt, let reservations): rows.write(reservations, of: attempt, of: id)
        }
    }
}

/// The part of a request that only its submission contains.
struct SubmissionLabels: Codable {
    var request: AIRequest
    var provider: ProviderID
    var fingerprint: Fingerprint
    var supersedes: UUID?
    var trace: TraceContext?
    var createdAt: Date

    init(_ submission: Submission) {
        request = submission.request
        provider = submission.provider
        fingerprint = submission.fingerprint
        supersedes = submission.supersedes
        trace = submission.trace
        createdAt = submission.createdAt
    }

    /// A submission with the labels, without anything that the rows contain.
    var submission: Submission {
        Submission(
            request: request, provider: provider, fingerprint: fingerprint, supersedes: supersedes, trace: trace,
            createdAt: createdAt)
    }
}
