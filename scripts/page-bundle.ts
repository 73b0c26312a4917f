/**
 * Writes the page of the server into dist/: one HTML file, and assets whose names hold the hash of their content, so that
 * browsers may keep them for ever. Nothing is loaded from elsewhere and nothing is inline: the page's policy forbids both.
 */
import { join } from 'node:path'
import { build } from 'vite'
import { ROOT } from './terminal.ts'

export async function bundlePage(dir: string): Promise<void> {
  // Also where a test builds it: what is tested is what is shipped, and not React for developers.
  process.env['NODE_ENV'] = 'production'
  await build({
    root: join(ROOT, 'web'),
    base: '/',
    configFile: false,
    logLevel: 'warn',
    plugins: [{ name: 'keelson:first-picture', transformIndexHtml: { order: 'post', handler: waitedFor } }],
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

/** The browser draws nothing before the page has said which theme was chosen: no flash of the other one. Nothing is drawn without it anyway. */
function waitedFor(html: string): string {
  return html.replaceAll('<script type="module"', '<script type="module" blocking="render"')
}
