import { basename, dirname } from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/dashboard/',
  // The service replaces it in each response: some components write rules of their own into style elements.
  html: { cspNonce: 'NONCE_OF_RESPONSE' },
  build: {
    target: 'es2022',
    // These know light-dark(). For older ones it would become variables that nothing here sets.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The policy of the page lets in images as data, and nothing else.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" means nothing without a server that renders.
      onLog: (level, log, pass) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') pass(level, log);
      },
      output: {
        // The chunk of a page bears the name of its folder.
        chunkFileNames: ({ facadeModuleId, name }) =>
          `assets/${facadeModuleId && basename(facadeModuleId) === 'page.tsx' ? basename(dirname(facadeModuleId)) : name}-[hash].js`,
      },
    },
  },
});
