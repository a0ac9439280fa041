import Foundation
import Hablare
import HablareProviders

/// The body of a call in the form that `URLSession` sends: bytes, or a file that `URLSession` reads while it sends.
///
/// If a body has content in files, it is copied into one temporary file that only this user can read. The reason:
/// `URLSession` accepts only one file, or a stream without a known length. The temporary file is removed when the
/// transfer has ended.
enum UploadFile {
    /// The number of bytes copied at once: 64 KiB.
    static let step = 64 << 10

    /// The form of a body.
    enum Form: Sendable, Hashable {
        case none
        case bytes(Data)
        case file(URL)
    }

    /// Returns the body in the form in which it is sent. Content in files is copied.
    ///
    /// - Throws: ``/HablareProviders/HTTPFailure`` with the reason `unreadableBody` if a file cannot be read or the
    ///   copy cannot be written.
    static func form(of body: HTTPBody) async throws -> Form {
        switch body {
        case .none: return .none
        case .bytes(let data): return data.isEmpty ? .none : .bytes(data)
        case .pieces(let bodies):
            guard bodies.contains(where: { $0.reference != nil }) else {
                let data = try bodies.reduce(into: Data()) { $0 += try read($1, 0..<$1.byteCount) }
                return data.isEmpty ? .none : .bytes(data)
            }
            // On a thread that may block.
            return try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { .file(try copy(bodies)) })
                }
            }
        }
    }

    /// Removes the file of a form. If the file cannot be removed, the system removes it later.
    static func remove(_ form: Form) {
        guard case .file(let url) = form else { return }
        unlink(url.path)
    }

    private static func copy(_ bodies: [Body]) throws -> URL {
        var template = Array(
            FileManager.default.temporaryDirectory.appendingPathComponent("hablare-upload-XXXXXX").path.utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw unreadable("no temporary file: error \(errno)") }
        let url = URL(
            fileURLWithPath: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            for body in bodies {
                for start in stride(from: 0, to: body.byteCount, by: step) {
                    let bytes = try read(body, start..<min(start + step, body.byteCount))
                    do { try file.write(contentsOf: bytes) } catch {
                        throw unreadable("temporary file: \(code(error))")
                    }
                }
            }
            do { try file.close() } catch { throw unreadable("temporary file: \(code(error))") }
            return url
        } catch {
            remove(.file(url))
            throw error
        }
    }

    private static func read(_ body: Body, _ range: Range<Int>) throws -> Data {
        let bytes: Data
        do {
            bytes = try body.read(range)
        } catch let error as AIServiceError {
            throw unreadable(error.code.rawValue)
        } catch {
            throw unreadable("\(type(of: error))")
        }
        guard bytes.count == range.count else { throw unreadable("fewer bytes than announced") }
        return bytes
    }

    private static func unreadable(_ cause: String) -> HTTPFailure {
        HTTPFailure(.unreadableBody, mayHaveArrived: false, cause: cause)
    }

    private static func code(_ error: any Error) -> String {
        let error = error as NSError
        return "\(error.domain) \(error.code)"
    }
}
