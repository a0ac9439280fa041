import Foundation
import GRDB
import Hablare

/// One commit: applies writes to the tables as the lifecycles decide.
///
/// The usual moves are a compare-and-set of a transition that the dispatcher's machine decided; where the row is not
/// what the mover believed, the row is read and the machine asked again. No statement here can violate a constraint:
/// an error of one write would cost all others of the commit.
struct WriteTransaction {
    let db: Database
    /// Whether a content file is there. Asked inside the transaction, which collection excludes.
    let hasContent: (ContentReference) -> Bool
    /// Content that lost a reference and may have none left.
    private(set) var releasedContent: Set<ContentReference> = []
    private var providers: [ProviderID: ProviderRow] = [:]
    private var jobs: [JobKey: Int64] = [:]

    init(_ db: Database, hasContent: @escaping (ContentReference) -> Bool) {
        self.db = db
        self.hasContent = hasContent
    }

    mutating func apply(_ write: StoreWrite) throws -> WriteReceipt {
        switch write {
        case .registerOwner(let registration): try register(registration)
        case .renewOwner(let owner, let until): try renew(owner, until: until)
        case .retireOwner(let owner, let date): try retire(owner, at: date)
        case .submit(let submission): try submit(submission)
        case .advance(let flight, let transition, let date): try advance(flight, transition, at: date)
        case .start(let start): try self.start(start)
        case .append(let group): try append(group)
        case .remember(let memory): try remember(memory)
        case .settle(let end): try settle(end)
        case .cancel(let id, let date): try cancel(id, at: date)
        case .retry(let id, let date): try retry(id, at: date)
        case .expire(let date, let limit): try expire(at: date, limit: limit)
        case .reserve(let request, let date): try reserve(request, at: date)
        case .report(let report, let date): try note(report, at: date)
        case .evict(let id): try evict(id)
        case .prune(let place, let limit): try prune(through: place, limit: limit)
        case .pin(let id, let isPinned): try pin(id, isPinned)
        case .merged(let id): try merged(id)
        case .trimCache(let limits, let date, let used, let limit):
            try trimCache(limits, usedBefore: date, noting: used, limit: limit)
        case .uncache(let selection): try uncache(selection)
        case .delete(let id, let date): try delete(id, at: date)
        }
    }

    private struct ProviderRow {
        let number: Int64
        var account: AccountID?
    }

    mutating func provider(_ id: ProviderID) throws -> Int64 {
        if let known = providers[id] { return known.number }
        var found: ProviderRow?
        var select = try BoundStatement(db, "SELECT id, account FROM providers WHERE name = ?1")
        select.bind(1, id.rawValue)
        try select.forEach { row in
            found = ProviderRow(number: row.int(0), account: row.text(1).map(AccountID.init(rawValue:)))
        }
        let provider = try found ?? ProviderRow(number: enter(id.rawValue, in: "providers", column: "name"))
        providers[id] = provider
        return provider.number
    }

    /// Notes whose limits a provider's calls use up; written only when it is news.
    mutating func note(_ account: AccountID, of id: ProviderID) throws {
        let number = try provider(id)
        guard providers[id]?.account != account else { return }
        providers[id]?.account = account
        var update = try BoundStatement(db, "UPDATE providers SET account = ?2 WHERE id = ?1")
        update.bind(1, number)
        update.bind(2, account.rawValue)
        try update.run()
    }

    mutating func job(_ key: JobKey) throws -> Int64 {
        if let known = jobs[key] { return known }
        var found: Int64?
        var select = try BoundStatement(db, "SELECT id FROM jobs WHERE key = ?1")
        select.bind(1, key.rawValue)
        try select.forEach { found = $0.int(0) }
        let number = try found ?? enter(key.rawValue, in: "jobs", column: "key")
        jobs[key] = number
        return number
    }

    /// Enters a name that is new, and answers with its number.
    private func enter(_ name: String, in table: String, column: String) throws -> Int64 {
        var insert = try BoundStatement(db, "INSERT INTO \(table) (\(column)) VALUES (?1) ON CONFLICT DO NOTHING")
        insert.bind(1, name)
        try insert.run()
        return db.lastInsertedRowID
    }

    mutating func release(_ reference: ContentReference?) {
        if let reference { releasedContent.insert(reference) }
    }
}
