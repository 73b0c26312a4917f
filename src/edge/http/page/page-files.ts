/**
 * The files of the page as the build left them. Only names that the build made are known, so no address can name another file;
 * each is read when it is first asked for, and kept.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** Beside the product's own JavaScript, wherever the package is. */
const BUILT = fileURLToPath(new URL('../../../../dist/web/', import.meta.url))
const ASSETS = 'assets'
/** The name of an asset holds the hash of its content. */
const HASHED = /^[A-Za-z0-9_-]+-[A-Za-z0-9_-]{8}\.(?:css|js|svg)$/
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface PageFile {
  readonly type: string
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
}

export interface PageFiles {
  readonly html: () => PageFile
  /** By their address: `/assets/index-B0VSSUWK.css`. */
  readonly assets: ReadonlyMap<string, () => PageFile>
}

/** Undefined where the page was not built: the server then has no page. */
export function pageFiles(folder = BUILT): PageFiles | undefined {
  const names = namesIn(folder)
  if (!names.includes('index.html')) return undefined
  const assets = namesIn(join(folder, ASSETS)).filter((name) => HASHED.test(name))
  return {
    html: kept(join(folder, 'index.html')),
    assets: new Map(assets.map((name) => [`/${ASSETS}/${name}`, kept(join(folder, ASSETS, name))])),
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}

function kept(path: string): () => PageFile {
  let file: PageFile | undefined
  return () => (file ??= read(path))
}

function read(path: string): PageFile {
  const plain = readFileSync(path)
  return { type: TYPES[extname(path)] ?? 'application/octet-stream', plain, gzip: gzipSync(plain) }
}
