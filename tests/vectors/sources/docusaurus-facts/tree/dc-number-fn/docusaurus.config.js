module.exports = {baseUrl: '/', presets: [['classic', {docs: {numberPrefixParser(f) { return {}; }}}]]};
