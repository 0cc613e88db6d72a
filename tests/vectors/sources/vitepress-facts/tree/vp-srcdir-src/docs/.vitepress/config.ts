export default { srcDir: '../src', base: '/' }
