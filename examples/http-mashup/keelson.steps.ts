/** The one function that plan.yaml calls; the rest of it is requests and a program. */
export function report(input: { readonly lines: string; readonly currency: string }) {
  const quotes = input.lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Number(line.split(' ')[0]))
  const total = quotes.reduce((sum, quote) => sum + quote, 0)
  return { quotes, total: `${total} ${input.currency}` }
}
