import Foundation
import GRDB
import Hablare

extension ReadTransaction {
    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        var found: (page: StreamPage, generation: Int, isEvicted: Bool)?
        var select = try BoundStatement(
            db,
            """
            SELECT r.flight, r.state, \(FlightLifecycle.columns), r.evicted
            FROM requests r JOIN flights f ON f.id = r.flight WHERE r.id = ?1
            """)
        select.bind(1, id)
        try select.forEach { row in
            guard let member = RequestLifecycle.State(rawValue: Int(row.int(1))) else {
                throw AIServiceError(.storageCorrupt, "A request has an unknown state. Run `hablare doctor`.")
            }
            let lifecycle = FlightLifecycle(row, from: 2)
            let page = StreamPage(flight: FlightID(rawValue: row.int(0)), phase: RequestPhase(member, lifecycle))
            found = (page, lifecycle.generation, row.int(2 + FlightLifecycle.columnCount) == 1)
        }
        guard let found else { return nil }
        var page = found.page
        if !found.isEvicted, let streamed = try newestGeneration(of: page.flight) {
            page.generation = streamed
            if let first = StreamPage.begin(of: streamed, for: position) {
                try read(into: &page, from: first, maximumBytes: maximumBytes)
            }
        } else if page.phase == .completed {
            page.generation = found.generation
            page.isWhole = true
        }
        return page
    }

    private func newestGeneration(of flight: FlightID) throws -> Int? {
        var generation: Int?
        var select = try BoundStatement(
            db, "SELECT generation FROM chunks WHERE flight = ?1 ORDER BY generation DESC LIMIT 1")
        select.bind(1, flight.rawValue)
        try select.forEach { generation = Int($0.int(0)) }
        return generation
    }

    /// A group of chunks, as it is stored in a row.
    private struct Group {
        let first: Int
        let start: Int
        let sizes: [Int]
        /// The bytes of the chunks. `nil` when the response contains the bytes.
        let bytes: Data?
    }

    /// Reads chunks group by group. A group may have any size, and a page rarely needs more than one group.
    private func read(into page: inout StreamPage, from first: Int, maximumBytes: Int) throws {
        var next = first
        var total = 0
        while let group = try group(of: page.flight, generation: page.generation, around: next) {
            let skipped = next - group.first
            var offset = group.sizes.prefix(skipped).reduce(0, +)
            let begin = offset
            var chosen: [Int] = []
            for size in group.sizes.dropFirst(skipped) {
                chosen.append(size)
                total += size
                if total >= maximumBytes || page.chunks.count + chosen.count >= StreamPage.maximumChunks { break }
            }
            let length = chosen.reduce(0, +)
            let bytes =
                try group.bytes.map { Data($0.dropFirst(begin).prefix(length)) }
                ?? responseBytes(of: page.flight, group.start + begin..<group.start + begin + length)
            for size in chosen {
                let chunk = Data(bytes.dropFirst(offset - begin).prefix(size))
                page.chunks.append(
                    StreamChunk(
                        position: StreamPosition(generation: page.generation, sequence: next), bytes: chunk))
                offset += size
                next += 1
            }
            if total >= maximumBytes || page.chunks.count >= StreamPage.maximumChunks { return }
        }
    }

    /// Returns the group that contains the chunk with a number. Returns `nil` if this chunk does not exist yet.
    private func group(of flight: FlightID, generation: Int, around sequence: Int) throws -> Group? {
        var found: Group?
        var select = try BoundStatement(
            db,
            """
            SELECT first, start, size, sizes, bytes FROM chunks WHERE flight = ?1 AND generation = ?2 AND first <= ?3
            ORDER BY first DESC LIMIT 1
            """)
        select.bind(1, flight.rawValue)
        select.bind(2, generation)
        select.bind(3, sequence)
        try select.forEach { row in
            let first = Int(row.int(0))
            let sizes = try PackedSizes.sizes(of: row.data(3) ?? Data(), total: Int(row.int(2)))
            guard sequence < first + sizes.count else { return }
            found = Group(first: first, start: Int(row.int(1)), sizes: sizes, bytes: row.data(4))
        }
        return found
    }

    private func responseBytes(of flight: FlightID, _ range: Range<Int>) throws -> Data {
        // For an empty range SQLite returns NULL.
        guard !range.isEmpty else { return Data() }
        var found: (inline: Data?, reference: ContentReference?)?
        var select = try BoundStatement(
            db, "SELECT substr(body, ?2, ?3), digest, size FROM responses WHERE flight = ?1")
        select.bind(1, flight.rawValue)
        select.bind(2, range.lowerBound + 1)
        select.bind(3, range.count)
        try select.forEach { row in
            found = (
                row.data(0), row.data(1).map { ContentReference(digest: $0, byteCount: Int(row.int(2))) }
            )
        }
        if let reference = found?.reference, let content { return try content.read(reference, range: range) }
        guard let bytes = found?.inline, bytes.count == range.count else {
            throw AIServiceError(
                .contentMissing, "The bytes of a stream are missing. Run `hablare doctor`, or regenerate the request.")
        }
        return bytes
    }
}
