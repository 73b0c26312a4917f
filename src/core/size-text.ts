/** A size as people read it: `64 KiB`, `10 MiB`. Limits are whole numbers of these. */
const KIB = 1024

export function sizeText(bytes: number): string {
  return bytes >= KIB * KIB ? `${bytes / (KIB * KIB)} MiB` : `${bytes / KIB} KiB`
}
