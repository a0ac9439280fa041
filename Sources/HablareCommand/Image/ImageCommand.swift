import ArgumentParser
import Foundation
import Hablare
import HablareProviders

struct ImageCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "image",
        abstract: "Make a picture from a description, or edit a picture.",
        usage: "hablare image [<prompt>] [<options>]",
        discussion: """
            EXAMPLES:
              hablare image --provider openai 'A whale that reads.' -o whale.png
              hablare image --provider openai 'A whale.' -o whale.png --sample 3
              hablare image --provider openai 'Add a hat.' --image whale.png -o hat.webp

            Say in the prompt whether the model should edit the pictures of --image or use them as a reference. With \
            --mask, the service edits the first picture only where the mask is transparent.

            With --sample N the files are named whale-1.png, whale-2.png and so on.

            Finished pictures are kept. If you run the same command again, the command writes the kept pictures \
            without a new call. If Ctrl-C stopped the first run, the second run continues. If --sample is larger in \
            the second run, only the missing pictures are requested. With --new, every run requests new pictures. If \
            some pictures fail, the message shows the commands with which you can continue.
            """)

    @Argument(
        help: """
            The description. Without a description, or with -, standard input is read. If the description begins with \
            -, put -- before the description.
            """
    )
    var prompt: String?

    @OptionGroup var asked: ServiceOptions

    @Option(help: "The size, such as 1024x1024. The service defines the choices.")
    var size: String?

    @Option(help: "The quality, such as low, medium or high. The service defines the choices.")
    var quality: String?

    @Option(help: "The background: transparent, opaque or auto.")
    var background: String?

    @Option(
        help: ArgumentHelp("A picture to edit or to use as a reference. Can be repeated.", valueName: "file"),
        completion: .file())
    var image: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A PNG file of the same size as the first picture. The service edits only where this PNG is transparent.
            """, valueName: "file"),
        completion: .file())
    var mask: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of pictures to request.", valueName: "n"))
    var sample = 1

    @Flag(help: "Request new pictures, even if the same request was answered before.")
    var new = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            """
            The output file: .png, .jpg or .webp. - is standard output. Without -o, the output goes to standard \
            output. If the output would go to a terminal, the command stops with an error.
            """, valueName: "file"),
        completion: .file(extensions: ["png", "jpg", "jpeg", "webp"]))
    var output: String?

    @Flag(help: "Print a JSON array with an object for each picture.")
    var json = false

    @OptionGroup var options: JobOptions

    static let mostSamples = 100

    func validate() throws {
        try checkNumber("--sample", sample, in: 1...Self.mostSamples)
        guard sample == 1 || (output != nil && output != "-") else {
            throw ValidationError("--sample needs a file name. Pass one with -o, such as whale.png.")
        }
        guard mask == nil || !image.isEmpty else {
            throw ValidationError("--mask needs --image. Add --image FILE, or leave --mask out.")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let team = try await AskedProvider(
            asked, options, for: .image, making: .image, program: "image/png", in: composition)
        let target = try Output(output, json: json, what: "picture", in: composition)
        let pictureFiles = PictureFiles(target: target, count: sample)
        try pictureFiles.check(team.installed, in: composition.console)
        let work = try pictures(by: team, pictureFiles, in: composition)
        try await team.open(for: work.request(0, UUID()))
        let console = composition.console
        let streams = SameCommand.Streams(
            readsInput: InputFile.isStandardInput(prompt, file: nil), printsElsewhere: try target.isStandardOutput)
        return try await team.run(work, streams, in: composition, consequence: "and the others are written") {
            storeSession, ids, gaps in
            let missing = Set(gaps.map(\.index))
            var written = WrittenPictures()
            for (index, id) in ids.enumerated() where !missing.contains(index) {
                try await written.add(at: index) {
                    try await pictureFiles.write(
                        id, at: index, from: storeSession.store, isNewEachTime: work.isNewEachTime, options.data,
                        composition, isQuiet: options.quiet)
                }
            }
            return written
        } report: { ended in
            let written = ended.value ?? WrittenPictures()
            if !options.quiet { tellUnwritten(ended, pictureFiles, to: console) }
            if json {
                try await console.print(JSONText.of(written.made))
            } else if !options.quiet, try !target.waitsForReader, !written.made.isEmpty {
                let files = written.made.compactMap(\.file).map { console.outputStyle.bold($0) }
                try await console.print(files.joined(separator: "\n"), isStyled: true)
            }
            try written.check(of: work.count, list: options.data.commandLine("ps", "--job", work.job.rawValue))
        }
    }

    /// Prints, for each picture that was not written, the command that writes it. Only needed if repeating the command
    /// would create other pictures.
    private func tellUnwritten(_ ended: JobEnd<WrittenPictures>, _ pictureFiles: PictureFiles, to console: Console) {
        let isStopped = ended.value == nil
        let missing = Set(ended.gaps.map(\.index))
        let unwritten = ended.ids.filter { isStopped || missing.contains($0.key) }.sorted { $0.key < $1.key }
        guard ended.work.isNewEachTime, !unwritten.isEmpty else { return }
        let lines = unwritten.map { index, id in
            "  " + options.data.commandLine("show", id.text, "-o", pictureFiles.file(index)?.path ?? "FILE")
        }
        console.note("To write the finished ones to files:\n\(lines.joined(separator: "\n"))")
    }

    private func pictures(
        by team: AskedProvider, _ pictureFiles: PictureFiles, in composition: Composition
    ) throws -> JobWork {
        let installed = team.installed
        let given = try installed.parameters(voice: nil, asked.parameter)
        let format = installed.service == nil ? nil : try pictureFiles.format(given: given["format"]?.text)
        let parameters = try installed.adding(
            [
                ("--size", "size", size.map { .string($0) }), ("--quality", "quality", quality.map { .string($0) }),
                ("--background", "background", background.map { .string($0) }),
                ("--mask", "mask", mask.map { _ in .bool(true) }),
                ("-o", "format", format.map { .string($0) }),
            ], to: given)
        let text = try InputText.one(prompt, what: "description", in: composition)
        guard image.isEmpty || installed.service != nil else {
            throw CommandFailure(
                .usage, "Provider \(installed.name) accepts only text. Leave --image out.")
        }
        let parts = try (image + [mask].compactMap(\.self)).map { try PictureFile.part(composition.url($0)) }
        let prompt: Prompt =
            parts.isEmpty ? .text(text) : .messages([Prompt.Message(role: .user, parts: [.text(text)] + parts)])
        let instance = installed.provider.instance.rawValue
        var words = ["image 1", installed.name, instance, installed.model ?? "", text].map { Data($0.utf8) }
        for case .image(let body, _) in parts { words.append(Data(body.digest)) }
        if new { words.append(Data(composition.seams.makeID().uuidString.utf8)) }
        let (policy, caching) = (options.ifInterrupted.policy, new ? CachePolicy.refresh : .use)
        return JobWork(
            job: .hashing(words + (try parameters.jobParts())), provider: installed.provider.id, count: sample,
            noun: "picture", isNewEachTime: new
        ) { index, id in
            AIRequest(
                id: id, prompt: prompt, model: installed.askedModel, parameters: parameters, sample: index,
                unknownOutcome: policy, caching: caching)
        }
    }
}
