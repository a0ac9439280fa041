extension PersonalData {
    /// Carries out a command about marks. When the method returns, the change is on disk.
    ///
    /// - Throws: ``PersonalDataError``: `gone`, `invalid`, `tooLarge`, `conflict`, `diskFull`, `takenOver`,
    ///   `databaseFailed`. Nothing was changed then, and the same command can be tried again.
    @discardableResult
    public func perform(_ command: MarkCommand) async throws -> MarkOutcome {
        let now = now
        let digest = try command.digest()
        let outcome = try await change(command.id, digest: digest, name: command.change.name) { recorder, db in
            var editor = MarkEditor(command, at: now, recorder: recorder, in: db)
            let outcome = try editor.run()
            recorder = editor.recorder
            return outcome
        }
        return outcome ?? .repeated
    }

    /// Carries out the commands of an outbox, in order. One that fails for good does not stop the others.
    ///
    /// - Returns: The results, in the order of the commands. The list is shorter if a command failed with an error that
    ///   passes, such as a full disk: keep that command and those after it, and send them again.
    public func perform(_ commands: [MarkCommand]) async -> [Result<MarkOutcome, any Error>] {
        var results: [Result<MarkOutcome, any Error>] = []
        for command in commands {
            do {
                results.append(.success(try await perform(command)))
            } catch let error as PersonalDataError where error.isRetryable || error.code == .takenOver {
                return results
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }
}
