/** The build of the page: one entry, hashed files and a manifest that Django's template reads. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { defineConfig } from "vitest/config";

/** A test builds an entry of its own, for itself alone: neither small nor compressed. */
const main = "src/main.tsx";
const entry = process.env.FUSELAB_ENTRY ?? main;

const backend = process.env.FUSELAB_BACKEND ?? "http://127.0.0.1:8000";

const adopted = fileURLToPath(new URL("src/text/adopted-styles.ts", import.meta.url));

/** CodeMirror's styles without style elements; see src/text/adopted-styles.ts. */
const adoptedStyles = {
  name: "adopted-styles",
  enforce: "pre" as const,
  resolveId: (source: string, importer?: string) =>
    source === "style-mod" && importer !== adopted ? adopted : null,
};

/** Each script and style beside itself, compressed once as far as it goes: the server sends those. */
const compressed = {
  name: "compressed",
  writeBundle: ({ dir }: { dir?: string }, bundle: object) => {
    for (const name of Object.keys(bundle).filter((file) => /\.(js|css|svg|wasm)$/.test(file))) {
      const content = readFileSync(`${dir}/${name}`);
      // Brotli takes half a minute for the 11 MB of the formatter.
      if (!name.endsWith(".wasm")) writeFileSync(`${dir}/${name}.br`, brotliCompressSync(content));
      writeFileSync(`${dir}/${name}.gz`, gzipSync(content, { level: 9 }));
    }
  },
};

export default defineConfig({
  base: "/static/app/",
  plugins: [adoptedStyles, ...(entry === main ? [compressed] : [])],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../webapp/static/app",
    emptyOutDir: true,
    manifest: true,
    minify: entry === main ? undefined : false,
    // light-dark() and native nesting reach the browser as they are written.
    target: ["chrome123", "firefox121", "safari17.5"],
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    rollupOptions: {
      input: entry,
      // What is needed first is one file: in a dozen it takes two kilobytes more, compressed.
      output: { codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] } },
    },
    chunkSizeWarningLimit: 1100,
    // The page's policy takes fonts from files only.
    assetsInlineLimit: 0,
  },
  worker: { format: "es" },
  server: {
    proxy: {
      "/api": backend,
      "/ws": { target: backend, ws: true },
    },
  },
  // The tests are of functions: none needs a process of its own, which takes longer than it.
  test: { include: ["src/**/*.test.ts"], isolate: false },
});
