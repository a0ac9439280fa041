import Foundation
import PackagePlugin

/// Compiles the files of a target's `Assets` directory into the target, as `EmbeddedFiles.all`.
@main
struct EmbedAssets: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let assets = target.directoryURL.appending(path: "Assets", directoryHint: .isDirectory)
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embed the assets of \(target.name)",
                executable: try context.tool(named: "AssetEmbedder").url,
                arguments: [assets.path(percentEncoded: false), output.path(percentEncoded: false)],
                inputFiles: try files(below: assets),
                outputFiles: [output]
            )
        ]
    }

    private func files(below directory: URL) throws -> [URL] {
        guard let paths = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: [.isRegularFileKey])
        else { return [] }
        return try paths.compactMap { $0 as? URL }
            .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
            .sorted { $0.path < $1.path }
    }
}
