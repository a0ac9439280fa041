import Foundation

extension MemoryTables {
    /// The chunks of a flight's newest generation.
    struct StreamRow: Sendable {
        let generation: Int
        /// Where each chunk ends in the bytes.
        var ends: [Int] = []
        /// `nil` once they are the response's.
        var bytes: Data? = Data()
    }

    mutating func append(_ group: ChunkGroup) -> WriteReceipt {
        guard let flight = flights[group.flight] else { return .refused(.staleToken) }
        let journalled = journalled(of: group)
        if let refusal = flight.lifecycle.refusal(of: group, journalled: journalled) { return .refused(refusal) }
        add(group)
        return .done
    }

    /// How many chunks of the generation of a group there are.
    private func journalled(of group: ChunkGroup) -> Int {
        streams[group.flight].flatMap { $0.generation == group.generation ? $0.ends.count : nil } ?? 0
    }

    /// Adds chunks, if they are those that come next.
    mutating func add(_ group: ChunkGroup) {
        guard journalled(of: group) == group.first else { return }
        var row = streams.removeValue(forKey: group.flight) ?? StreamRow(generation: group.generation)
        if row.generation != group.generation { row = StreamRow(generation: group.generation) }
        for size in group.sizes { row.ends.append((row.ends.last ?? 0) + size) }
        row.bytes?.append(group.bytes)
        streams[group.flight] = row
    }

    /// Whether another attempt may follow the one under way.
    func mayRestart(_ id: FlightID, _ flight: FlightRow) -> Bool {
        guard let row = streams[id], row.generation == flight.lifecycle.generation else { return true }
        return flight.request?.streaming?.allowsRestart ?? true
    }

    /// The flight is completed: its chunks' bytes are the response's from now on.
    mutating func streamCompleted(_ id: FlightID, generation: Int) {
        guard let row = streams[id] else { return }
        guard row.generation == generation else { return streams[id] = nil }
        if responses[id]?.isInline == true { streams[id]?.bytes = nil }
    }

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) -> StreamPage? {
        guard let request = requests[id], let flight = flights[request.flight] else { return nil }
        var page = StreamPage(flight: request.flight, phase: RequestPhase(request.lifecycle.state, flight.lifecycle))
        guard let row = streams[request.flight], !request.isEvicted else {
            page.isWhole = page.phase == .completed
            if page.isWhole { page.generation = flight.lifecycle.generation }
            return page
        }
        page.generation = row.generation
        guard let first = StreamPage.begin(of: row.generation, for: position), first < row.ends.count else {
            return page
        }
        let bytes = row.bytes ?? inlineBytes(of: request.flight)
        var total = 0
        for sequence in first..<min(row.ends.count, first + StreamPage.maximumChunks) {
            let start = sequence == 0 ? 0 : row.ends[sequence - 1]
            let chunk = bytes.dropFirst(start).prefix(row.ends[sequence] - start)
            page.chunks.append(
                StreamChunk(
                    position: StreamPosition(generation: row.generation, sequence: sequence), bytes: Data(chunk)))
            total += chunk.count
            if total >= maximumBytes { break }
        }
        return page
    }

    private func inlineBytes(of flight: FlightID) -> Data {
        guard case .success(let content) = responses[flight]?.result, case .inline(let data) = content.body?.storage
        else { return Data() }
        return data
    }
}

extension AIResponseData {
    /// Whether its bytes are in memory, and not in a content file.
    fileprivate var isInline: Bool {
        guard case .success(let content) = result, case .inline = content.body?.storage else { return false }
        return true
    }
}
