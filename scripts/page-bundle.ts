/**
 * Writes the page of the server into dist/: one HTML file, and assets whose names hold the hash of their content, so that
 * browsers may keep them for ever. Nothing is loaded from elsewhere and nothing is inline: the page's policy forbids both.
 */
import { join } from 'node:path'
import { build } from 'vite'
import { ROOT } from './terminal.ts'

export async function bundlePage(dir: string): Promise<void> {
  await build({
    root: join(ROOT, 'web'),
    base: '/',
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: join(dir, 'web'),
      emptyOutDir: true,
      target: 'es2023',
      // An inline image would need a policy that allows `data:`.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
}
