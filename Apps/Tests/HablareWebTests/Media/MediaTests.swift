import Foundation
import HTTPTypes
import HablareWeb
import HablareWebTestKit
import NIOCore
import Testing

struct MediaTests {
    private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// A temporary file that is deleted when it is opened. Its descriptors stay valid.
    private static func descriptor(_ bytes: [UInt8]) throws -> (reader: Int32, writer: FileHandle) {
        let url = FileManager.default.temporaryDirectory.appending(path: "media-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        defer { unlink(url.path) }
        let writer = try FileHandle(forWritingTo: url)
        try writer.seekToEnd()
        return (open(url.path, O_RDONLY | O_CLOEXEC), writer)
    }

    private static let media = Media { request in
        switch (request.id, request.version) {
        case ("memory", "v1"): .bytes(bytes, type: "image/jpeg")
        case ("file", "v1"): .file(try MediaFile(descriptor: try descriptor(bytes).reader), type: "image/png")
        case ("page", "svg"): .bytes(Array("<script>1</script>".utf8), type: "image/svg+xml")
        case ("page", _): .bytes(Array("<script>1</script>".utf8), type: "text/html")
        case ("variant", "v1"): .bytes(Array((request.variant ?? "none").utf8), type: "image/webp")
        default: nil
        }
    }

    private func withMedia(
        over transport: FaceTransport, _ media: Media = MediaTests.media,
        _ body: @escaping @Sendable (FaceClient) async throws -> Void
    ) async throws {
        try await withFace(Notebook().face(media: media), over: transport, body)
    }

    @Test("Bytes are served whole and kept for ever", arguments: FaceTransport.allCases, ["memory", "file"])
    func whole(over transport: FaceTransport, _ id: String) async throws {
        try await withMedia(over: transport) { client in
            let response = try await client.get("/media/\(id)/v1")
            #expect(response.status == .ok)
            #expect(Array(response.body.readableBytesView) == Self.bytes)
            #expect(response.headers[.contentLength] == "200000")
            #expect(response.headers[.eTag] == "\"v1\"")
            #expect(response.headers[.acceptRanges] == "bytes")
            #expect(response.headers[.cacheControl] == "private, max-age=31536000, immutable")
            #expect(response.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
        }
    }

    @Test("Parts are served as asked", arguments: FaceTransport.allCases, ["memory", "file"])
    func parts(over transport: FaceTransport, _ id: String) async throws {
        try await withMedia(over: transport) { client in
            for (header, part) in [
                ("bytes=0-0", 0..<1), ("bytes=65535-131072", 65_535..<131_073), ("bytes=199999-", 199_999..<200_000),
                ("bytes=-70000", 130_000..<200_000),
            ] {
                let response = try await client.get("/media/\(id)/v1", headers: [.range: header])
                #expect(response.status == .partialContent)
                #expect(Array(response.body.readableBytesView) == Array(Self.bytes[part]))
                let expected = "bytes \(part.lowerBound)-\(part.upperBound - 1)/200000"
                #expect(response.headers[.contentRange] == expected)
            }
            let behind = try await client.get("/media/\(id)/v1", headers: [.range: "bytes=200000-"])
            #expect(behind.status == .rangeNotSatisfiable)
            #expect(behind.headers[.contentRange] == "bytes */200000")
        }
    }

    @Test("A part of another version is not mixed in", arguments: FaceTransport.allCases)
    func ifRange(over transport: FaceTransport) async throws {
        try await withMedia(over: transport) { client in
            let same = try await client.get("/media/memory/v1", headers: [.range: "bytes=0-9", .ifRange: "\"v1\""])
            #expect(same.status == .partialContent)
            for tag in ["\"v0\"", "W/\"v1\"", "Sat, 28 Nov 2026 00:00:00 GMT"] {
                let other = try await client.get("/media/memory/v1", headers: [.range: "bytes=0-9", .ifRange: tag])
                #expect(other.status == .ok)
                #expect(other.body.readableBytes == Self.bytes.count)
            }
        }
    }

    @Test("A browser that has the bytes does not get them again", arguments: FaceTransport.allCases)
    func notModified(over transport: FaceTransport) async throws {
        try await withMedia(over: transport) { client in
            for tag in ["\"v1\"", "W/\"v1\"", "\"v0\", \"v1\"", "*"] {
                let response = try await client.get("/media/memory/v1", headers: [.ifNoneMatch: tag])
                #expect(response.status == .notModified)
                #expect(response.body.readableBytes == 0)
            }
            let other = try await client.get("/media/memory/v1", headers: [.ifNoneMatch: "\"v10\""])
            #expect(other.status == .ok)
        }
    }

    @Test("HEAD tells the length without the bytes", arguments: FaceTransport.allCases)
    func head(over transport: FaceTransport) async throws {
        try await withMedia(over: transport) { client in
            let response = try await client.send(.head, "/media/memory/v1")
            #expect(response.status == .ok)
            #expect(response.headers[.contentLength] == "200000")
            #expect(response.body.readableBytes == 0)
        }
    }

    @Test("What could run as a page is sent as a download", arguments: FaceTransport.allCases, ["html", "svg"])
    func pages(over transport: FaceTransport, _ version: String) async throws {
        try await withMedia(over: transport) { client in
            let response = try await client.get("/media/page/\(version)")
            #expect(response.headers[.contentType] == "application/octet-stream")
            #expect(response.headers[.contentDisposition] == "attachment")
        }
    }

    @Test("The variant reaches the app, and an unknown version is not found", arguments: FaceTransport.allCases)
    func names(over transport: FaceTransport) async throws {
        try await withMedia(over: transport) { client in
            #expect(try await client.get("/media/variant/v1/card").text == "card")
            #expect(try await client.get("/media/variant/v1").text == "none")
            let gone = try await client.get("/media/memory/v2")
            #expect(gone.status == .notFound)
            #expect(gone.headers[.cacheControl] == "no-store")
        }
    }

    @Test("A file that grows is streamed to its end", arguments: FaceTransport.allCases)
    func growing(over transport: FaceTransport) async throws {
        let (reader, writer) = try Self.descriptor([])
        let file = GrowingMediaFile(descriptor: reader)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let media = Media { _ in
            start.yield()
            return .growing(file, type: "audio/ogg")
        }
        try await withMedia(over: transport, media) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let response = try await client.get("/media/a/1")
                    #expect(response.status == .ok)
                    #expect(response.text == "first second third")
                }
                for await _ in starts { break }
                for part in ["first ", "second ", "third"] {
                    try writer.write(contentsOf: Data(part.utf8))
                    file.grew(to: Int(try writer.offset()))
                    await Task.yield()
                }
                file.finish()
                try await group.waitForAll()
            }
            let complete = try await client.get("/media/a/1")
            #expect(complete.headers[.contentLength] == "18")
            #expect(complete.headers[.eTag] == "\"1\"")
        }
    }

    @Test(
        "A part of a file that grows waits for its first byte, and ends at the last one",
        arguments: FaceTransport.allCases)
    func growingParts(over transport: FaceTransport) async throws {
        let (reader, writer) = try Self.descriptor(Array("0123456789".utf8))
        let file = GrowingMediaFile(descriptor: reader)
        file.grew(to: 10)
        let media = Media { _ in .growing(file, type: "audio/ogg") }
        try await withMedia(over: transport, media) { client in
            let now = try await client.get("/media/a/1", headers: [.range: "bytes=4-"])
            #expect(now.status == .partialContent)
            #expect(now.headers[.contentRange] == "bytes 4-9/*")
            #expect(now.headers[.cacheControl] == "no-store")
            #expect(now.headers[.eTag] == nil)
            #expect(now.text == "456789")
            async let later = client.get("/media/a/1", headers: [.range: "bytes=12-"])
            try writer.write(contentsOf: Data("abcdef".utf8))
            file.grew(to: 11)
            file.grew(to: 16)
            #expect(try await later.text == "cdef")
            file.finish()
            let behind = try await client.get("/media/a/1", headers: [.range: "bytes=16-"])
            #expect(behind.status == .rangeNotSatisfiable)
            #expect(behind.headers[.contentRange] == "bytes */16")
        }
    }

    @Test("A file that stops growing by a failure is not taken for complete", arguments: FaceTransport.allCases)
    func growingFailure(over transport: FaceTransport) async throws {
        let (reader, _) = try Self.descriptor(Array("0123456789".utf8))
        let file = GrowingMediaFile(descriptor: reader)
        file.grew(to: 10)
        file.fail(MediaFileError(description: "The voice failed."))
        try await withMedia(over: transport, Media { _ in .growing(file, type: "audio/ogg") }) { client in
            await #expect(throws: (any Error).self) { try await client.get("/media/a/1") }
        }
    }

    @Test("A file that became shorter is not taken for complete", arguments: FaceTransport.allCases)
    func shortened(over transport: FaceTransport) async throws {
        let (reader, writer) = try Self.descriptor(Self.bytes)
        let file = try MediaFile(descriptor: reader)
        try writer.truncate(atOffset: 100_000)
        try await withMedia(over: transport, Media { _ in .file(file, type: "image/png") }) { client in
            await #expect(throws: (any Error).self) { try await client.get("/media/a/1") }
        }
    }

    @Test("A client that leaves cancels what it asked for")
    func leaving() async throws {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let media = Media { _ in
            start.yield()
            let (never, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            end.yield(Task.isCancelled)
            return nil
        }
        try await withMedia(over: .socket, media) { client in
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await client.get("/media/a/1") }
                for await _ in starts { break }
                group.cancelAll()
                for await isCancelled in ends {
                    #expect(isCancelled)
                    break
                }
                guard case .failure? = await group.nextResult() else {
                    Issue.record("The request was answered.")
                    return
                }
            }
        }
    }
}
